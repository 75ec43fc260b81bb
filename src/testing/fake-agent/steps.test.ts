import { beforeEach, describe, expect, test } from 'vitest'
import {
  FILE,
  ID,
  inProcessAgent,
  linesOf,
  type ProcessEvent,
  playing,
  smallWorld,
} from '../in-process-agent.ts'
import type { MemoryFiles } from '../memory-files.ts'
import type { FakeScript, ScriptStep } from './script.ts'

const FORK = '22222222-2222-4222-8222-222222222222'

let files: MemoryFiles
beforeEach(async () => {
  files = await smallWorld()
})

const agent = (script?: FakeScript) => inProcessAgent(files, script)
const lines = () => linesOf(files)

describe('steps of the fake agent', () => {
  test('a tool call, its result, and a denial', async () => {
    const denied: ScriptStep = { type: 'tool', name: 'Write', denied: true }
    const { run } = agent(playing({ type: 'tool', name: 'Bash', result: 'hi' }, denied))
    const { types, result } = await run(['--session-id', ID], 'x')
    expect(types).toEqual([
      'init',
      ...['assistant', 'user'],
      ...['assistant', 'permission_denied', 'user'],
      'assistant',
      'success',
    ])
    expect(result?.permission_denials).toMatchObject([{ tool_name: 'Write' }])
    expect(lines().filter(line => line.type === 'user')).toHaveLength(3)
  })

  test('text in pieces comes as deltas with the usage of the message', async () => {
    const { run } = agent(playing({ type: 'text', text: ['a', 'b'] }))
    const { events } = await run(['--include-partial-messages', '--session-id', ID], 'x')
    const parts = events.filter(event => event.type === 'stream_event')
    expect(parts.map(part => (part.event as ProcessEvent).type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(parts.at(-2)).toMatchObject({ event: { usage: { output_tokens: 1 } } })
  })

  test.each([
    [{ type: 'apiError', status: 529 }, { is_error: true, api_error_status: 529 }, 1],
    [{ type: 'apiError', status: null }, { is_error: true, api_error_status: null }, 1],
    [{ type: 'usageLimit', resetsAt: 1794777493 }, { api_error_status: 429 }, 1],
    [{ type: 'maxTurns' }, { subtype: 'error_max_turns', is_error: true }, 1],
    [{ type: 'exit', code: 3 }, { subtype: 'success' }, 3],
  ] as const)('%j ends with a result', async (step, expected, code) => {
    const { result, exit } = await agent(playing(step)).run(['--session-id', ID], 'x')
    expect(result).toMatchObject({ type: 'result', ...expected })
    expect(exit.code).toBe(code)
  })

  test('a failed prompt stays in the session, but the model does not see the error', async () => {
    const { run, last } = agent([{ when: 'new', do: [{ type: 'apiError', status: 500 }] }])
    await run(['--session-id', ID], 'one')
    await run(['--resume', ID], 'two')
    expect(last()?.history[0]).toEqual({ role: 'user', text: 'one' })
    expect(JSON.stringify(last()?.history)).not.toContain('API Error')
  })

  test.each([
    ['fresh', /^(?!11111111)/],
    ['echo', /^11111111/],
    ['none', /^undefined$/],
  ] as const)('F-1 a refused resume shows the id as %s', async (idInStream, id) => {
    const refuse: ScriptStep = { type: 'refuseResume', idInStream, words: 'gone' }
    const { run } = agent([{ when: 'resume', do: [refuse] }])
    await run(['--session-id', ID], 'one')
    const before = files.text(FILE)
    const { types, result } = await run(['--resume', ID], 'two')
    expect(types).toEqual(['error_during_execution'])
    expect(result?.errors).toEqual(['gone'])
    expect(String(result?.session_id)).toMatch(id)
    expect(files.text(FILE)).toBe(before)
  })

  test('F-3 a refusal can come after a tool has run', async () => {
    const steps: ScriptStep[] = [{ type: 'tool', name: 'Bash' }, { type: 'refuseResume' }]
    const { run } = agent([{ when: 'resume', do: steps }])
    await run(['--session-id', ID], 'one')
    const { types } = await run(['--resume', ID], 'two')
    expect(types).toEqual(['init', 'assistant', 'user', 'error_during_execution'])
  })

  test('the id comes late, is wrong, or never comes', async () => {
    const late = await agent(playing({ type: 'lateId' })).run(['--session-id', ID], 'x')
    expect(late.types).toEqual(['assistant', 'init', 'success'])
    const wrong = agent(playing({ type: 'wrongId' }))
    const { result } = await wrong.run(['--resume', ID], 'y')
    expect(result?.session_id).not.toBe(ID)
    expect(wrong.last()?.history).toEqual([])
    const none = await agent(playing({ type: 'noInit' })).run(['--session-id', FORK], 'x')
    expect(none.types).toEqual(['assistant', 'success'])
  })

  test('C-2 the session file can be missing, late or torn', async () => {
    await agent(playing({ type: 'noPersistence' })).run(['--session-id', ID], 'x')
    expect(files.text(FILE)).toBeNull()
    await agent(playing({ type: 'slowFlush', ms: 1 })).run(['--session-id', ID], 'x')
    expect(lines().map(line => line.type)).toContain('assistant')
    await files.remove(FILE)
    await agent(playing({ type: 'tornFile' })).run(['--session-id', ID], 'x')
    expect(files.text(FILE)?.endsWith('\n')).toBe(false)
  })

  test('unknown lines are skipped and the result still comes', async () => {
    const noise: ScriptStep[] = [
      { type: 'bannerLine', text: 'welcome' },
      { type: 'unknownEvents', events: 2 },
      { type: 'flood', events: 100 },
      { type: 'brokenUtf8' },
      { type: 'bigLine', bytes: 1000 },
    ]
    const { events, result } = await agent(playing(...noise)).run(['--session-id', ID], 'x')
    expect(events).toHaveLength(1 + 2 + 100 + 1 + 1 + 2)
    expect(result?.subtype).toBe('success')
  })

  test('a second result belongs to a background task that nobody asked for', async () => {
    const { events } = await agent(playing({ type: 'twoResults' })).run(['--session-id', ID], 'x')
    const results = events.filter(event => event.type === 'result')
    expect(results.map(event => event.origin)).toEqual([undefined, { kind: 'task-notification' }])
    expect(results[0]?.result).toBe('echo: x')
  })

  test('a turn marked once is played once, a part of the prompt picks a turn', async () => {
    const text = (words: string): ScriptStep => ({ type: 'text', text: words })
    const { run } = agent([
      { when: 'blue', once: true, do: [text('first blue')] },
      { when: 'blue', do: [text('blue again')] },
    ])
    const answers = [await run([], 'blue'), await run([], 'a blue one'), await run([], 'red')]
    const texts = answers.map(({ result }) => result?.result)
    expect(texts).toEqual(['first blue', 'blue again', 'echo: red'])
  })

  test('a side effect is done', async () => {
    const steps: ScriptStep[] = [{ type: 'sideEffect', appendFile: '/project/log', line: 'did it' }]
    await agent(playing(...steps)).run([], 'x')
    expect(files.text('/project/log')).toBe('did it\n')
  })

  test('a file is written as a whole', async () => {
    await files.write('/project/a', 'a longer text')
    await agent(playing({ type: 'writeFile', path: '/project/a', text: 'short' })).run([], 'x')
    expect(files.text('/project/a')).toBe('short')
  })
})

describe('prompts of the fake agent', () => {
  const user = (content: unknown, extra: object = {}) =>
    `${JSON.stringify({ type: 'user', message: { role: 'user', content }, ...extra })}\n`
  const STREAM_INPUT = ['--input-format', 'stream-json']
  const old = { FAKE_AGENT_VERSION: '2.1.197' }

  test('come as text, as words and as stream-json lines', async () => {
    const { run, last } = agent()
    await run(['words'], 'text')
    expect(last()?.prompt).toBe('words\ntext')
    await run(STREAM_INPUT, user('a line'))
    expect(last()?.prompt).toBe('a line')
    await run(
      STREAM_INPUT,
      user([
        { type: 'text', text: 'b' },
        { type: 'text', text: ' ' },
      ]),
    )
    expect(last()?.prompt).toBe('b')
  })

  test('H-1 a slash word is answered by an old agent itself, unless it is not the last block', async () => {
    const { run } = agent()
    const caught = await run([], '/foo bar', { env: old })
    expect(caught.result).toMatchObject({ result: 'Unknown command: /foo', total_cost_usd: 0 })
    const blocks = [
      { type: 'text', text: '/foo bar' },
      { type: 'text', text: ' ' },
    ]
    const passed = await run(STREAM_INPUT, user(blocks), { env: old })
    expect(passed.result?.result).toBe('echo: /foo bar')
  })

  test('H-1 @files are pulled in, unless the prompt was composed by a program', async () => {
    const { run, last } = agent()
    await files.write('/project/secret', 's')
    await run([], 'see @secret')
    expect(last()?.inlined).toEqual(['/project/secret'])
    await run(STREAM_INPUT, user('see @secret', { client_composed: true }))
    expect(last()?.inlined).toEqual([])
    await run(STREAM_INPUT, user('see @secret', { client_composed: true }), { env: old })
    expect(last()?.inlined).toEqual(['/project/secret'])
  })

  test.each([
    ['', [], 1],
    ['  \n', [], 0],
    ['no json', STREAM_INPUT, 1],
    ['x', ['--no-such-flag'], 1],
    ['x', ['--session-id', 'abc'], 1],
    ['x', ['--resume', ID, '--session-id', FORK], 1],
  ] as const)('%j with %j says nothing on stdout and exits with %i', async (prompt, args, code) => {
    const { events, exit } = await agent().run(args, prompt)
    expect(events).toEqual([])
    expect(exit.code).toBe(code)
  })
})
