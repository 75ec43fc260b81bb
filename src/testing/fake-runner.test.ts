import { beforeEach, describe, expect, test } from 'vitest'
import type { Exit } from '../core/run.ts'
import { DEFAULT_LIMITS, type Limits } from '../runner/runner.ts'
import type { FakeScript, Step } from './fake-agent/script.ts'
import { createFakeRunner, memoryExecutable } from './fake-runner.ts'
import { type MemoryFiles, memoryFiles } from './memory-files.ts'

const ID = '11111111-1111-4111-8111-111111111111'
const FORK = '22222222-2222-4222-8222-222222222222'
const FILE = `/config/projects/-work/${ID}.jsonl`
const STREAM = ['-p', '--output-format', 'stream-json', '--verbose']

type Event = Record<string, unknown> & { type: string; subtype?: string }

let files: MemoryFiles
beforeEach(async () => {
  files = memoryFiles()
  await files.makeDirectory('/work')
  await files.write('/bin/agent', memoryExecutable())
})

let runs = 0
type Options = { env?: Record<string, string>; script?: FakeScript; limits?: Partial<Limits> }

function agent(script: FakeScript = []) {
  const runner = createFakeRunner({ files, script })
  async function start(args: readonly string[], prompt: string, options: Options = {}) {
    const command = {
      file: '/bin/agent',
      args: [...STREAM, ...args],
      env: { CLAUDE_CONFIG_DIR: '/config', ...options.env },
      workDir: '/work',
      stdin: new TextEncoder().encode(prompt),
    }
    runs += 1
    return runner.start(command, `run_${runs}`, { ...DEFAULT_LIMITS, ...options.limits })
  }
  async function run(args: readonly string[], prompt: string, options: Options = {}) {
    const process = await start(args, prompt, options)
    const events: Event[] = []
    for await (const line of process.lines)
      if (line.kind === 'line' && line.text.startsWith('{')) events.push(JSON.parse(line.text))
    const exit: Exit = await process.exit
    return { events, exit, types: events.map(e => e.subtype ?? e.type), result: events.at(-1) }
  }
  return { runner, start, run, last: () => runner.journal.at(-1) }
}

const playing = (...steps: readonly Step[]): FakeScript => [{ do: steps }]
const lines = (path = FILE): Event[] =>
  (files.text(path) ?? '')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

describe('sessions of the fake agent', () => {
  test('C-1 a new session is resumed with its history', async () => {
    const { run, last } = agent()
    await run(['--session-id', ID], 'first')
    const second = await run(['--resume', ID], 'second')
    expect(second.types).toEqual(['init', 'assistant', 'success'])
    expect(second.result).toMatchObject({ session_id: ID, result: 'echo: second', num_turns: 1 })
    expect(last()).toMatchObject({ sessionId: ID, prompt: 'second', ended: true, code: 0 })
    expect(last()?.history).toEqual([
      { role: 'user', text: 'first' },
      { role: 'assistant', text: 'echo: first' },
    ])
  })

  test('an unknown session is refused by a result without init', async () => {
    const { run, last } = agent()
    const { types, result, exit } = await run(['--resume', ID], 'x')
    expect(types).toEqual(['error_during_execution'])
    const words = `No conversation found with session ID: ${ID}`
    expect(result).toMatchObject({ is_error: true, num_turns: 0, session_id: ID, errors: [words] })
    expect(exit).toMatchObject({ code: 1, stderr: `${words}\n` })
    expect(last()).toMatchObject({ refused: words, sessionId: null, history: [] })
  })

  test('an id that is in use is refused on stderr alone', async () => {
    const { run } = agent()
    await run(['--session-id', ID], 'first')
    const { events, exit } = await run(['--session-id', ID], 'again')
    expect(events).toEqual([])
    expect(exit).toMatchObject({ code: 1, stderr: `Error: Session ID ${ID} is already in use.\n` })
  })

  test('T-4 a fork at a message copies the history up to it and leaves the original', async () => {
    const { run, last } = agent()
    await run(['--session-id', ID], 'one')
    const anchor = String(lines().findLast(line => line.type === 'assistant')?.uuid)
    await run(['--resume', ID], 'two')
    const original = files.text(FILE)
    const args = ['--resume', ID, '--fork-session', '--session-id', FORK]
    await run([...args, '--resume-session-at', anchor], 'other')
    expect(files.text(FILE)).toBe(original)
    expect(last()?.history.map(said => said.text)).toEqual(['one', 'echo: one'])
    await run(['--resume', FORK], 'more')
    const texts = last()?.history.map(said => said.text)
    expect(texts).toEqual(['one', 'echo: one', 'other', 'echo: other'])
  })

  test('an unknown anchor is refused', async () => {
    const { run } = agent()
    await run(['--session-id', ID], 'one')
    const { result } = await run(['--resume', ID, '--resume-session-at', FORK], 'x')
    expect(result?.errors).toEqual([`No message found with message.uuid of: ${FORK}`])
  })

  test.each([
    ['2.1.197', 1, []],
    ['2.1.325', 0, ['one', 'echo: one']],
  ])('version %s from another work dir exits with %i', async (version, code, history) => {
    const { run, last } = agent()
    const env = { FAKE_AGENT_VERSION: version }
    await run(['--session-id', ID], 'one', { env })
    files.rename(FILE, `/config/projects/-other/${ID}.jsonl`)
    expect((await run(['--resume', ID], 'two', { env })).exit.code).toBe(code)
    expect(last()?.history.map(said => said.text)).toEqual(history)
  })

  test.each([
    ['2.1.197', 'forgets', ['one', 'No response requested.']],
    ['2.1.325', 'tells', ['one', 'Bash {}', expect.stringContaining('outcome is unknown')]],
  ])('version %s %s a call without result', async (version, _, texts) => {
    const tool: Step = { type: 'tool', name: 'Bash', result: null }
    const { run, last } = agent([
      { when: 'new', do: [tool, { type: 'killSelf', signal: 'SIGKILL' }] },
    ])
    const env = { FAKE_AGENT_VERSION: version }
    const killed = await run(['--session-id', ID], 'one', { env })
    expect(killed.exit).toMatchObject({ code: null, signal: 'SIGKILL', endedBy: null })
    expect(last()).toMatchObject({ ended: false, code: null })
    await run(['--resume', ID], 'two', { env })
    expect(last()?.history.map(said => said.text)).toEqual(texts)
  })

  test.each([
    ['a line that is null', 'null\n', /null is not an object/],
    ['nothing but metadata', '{"type":"mode"}\n', /No conversation found/],
    ['random bytes', '\u0000\u0001\n', /No conversation found/],
  ])('a session file with %s is refused', async (_, content, words) => {
    await files.write(FILE, content)
    const { result } = await agent().run(['--resume', ID], 'x')
    expect(String(result?.errors)).toMatch(words)
  })

  test.each([
    ['2.1.197', 'new'],
    ['2.1.325', 'old'],
  ])('T-8 version %s keeps to the %s instructions on a resume', async (version, expected) => {
    const { run, last } = agent()
    const env = { FAKE_AGENT_VERSION: version }
    await files.write('/new', 'new')
    await run(['--session-id', ID, '--append-system-prompt', 'old'], 'one', { env })
    await run(['--resume', ID, '--append-system-prompt-file', '/new'], 'two', { env })
    expect(last()?.instructions).toBe(expected)
  })
})

describe('costs of the fake agent', () => {
  async function totals(version: string): Promise<number[]> {
    const { run } = agent()
    const env = { FAKE_AGENT_VERSION: version }
    const results = [
      await run(['--session-id', ID], 'one', { env }),
      await run(['--resume', ID], 'two', { env }),
      await run(['--resume', ID, '--fork-session', '--session-id', FORK], 'three', { env }),
    ]
    return results.map(({ result }) => Number(result?.total_cost_usd))
  }

  test('M-1 since 2.1.277 totals grow over the session and its forks', async () => {
    const [first = 0, second = 0, third = 0] = await totals('2.1.277')
    expect(second).toBeGreaterThan(first)
    expect(third).toBeGreaterThan(second)
    expect(lines().filter(line => line.type === 'cost-state')).toHaveLength(2)
  })

  test('M-1 before, they are of the process alone, and a resume is cheap', async () => {
    const [first = 0, second = 0] = await totals('2.1.276')
    expect(second).toBeGreaterThan(0)
    expect(second).toBeLessThan(first / 2)
    expect(lines().filter(line => line.type === 'cost-state')).toEqual([])
  })

  test('another model finds nothing in the cache', async () => {
    const { run } = agent()
    await run(['--session-id', ID, '--model', 'claude-a'], 'one')
    const { result } = await run(['--resume', ID, '--model', 'claude-b'], 'two')
    expect(result?.usage).toMatchObject({ cache_read_input_tokens: 0 })
  })
})

describe('steps of the fake agent', () => {
  test('a tool call, its result, and a denial', async () => {
    const denied: Step = { type: 'tool', name: 'Write', denied: true }
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
    expect(parts.map(part => (part.event as Event).type)).toEqual([
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

  test('a failed prompt stays in the session, the error is kept from the model', async () => {
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
    const refuse: Step = { type: 'refuseResume', idInStream, words: 'gone' }
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
    const steps: Step[] = [{ type: 'tool', name: 'Bash' }, { type: 'refuseResume' }]
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

  test('C-2 nothing is kept, or only late, or torn', async () => {
    await agent(playing({ type: 'noPersistence' })).run(['--session-id', ID], 'x')
    expect(files.text(FILE)).toBeNull()
    await agent(playing({ type: 'slowFlush', ms: 1 })).run(['--session-id', ID], 'x')
    expect(lines().map(line => line.type)).toContain('assistant')
    await files.remove(FILE)
    await agent(playing({ type: 'tornFile' })).run(['--session-id', ID], 'x')
    expect(files.text(FILE)?.endsWith('\n')).toBe(false)
  })

  test('noise goes by and the result still comes', async () => {
    const noise: Step[] = [
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

  test('a second result answers what nobody asked', async () => {
    const { events } = await agent(playing({ type: 'twoResults' })).run(['--session-id', ID], 'x')
    const results = events.filter(event => event.type === 'result')
    expect(results.map(event => event.origin)).toEqual([undefined, { kind: 'task-notification' }])
    expect(results[0]?.result).toBe('echo: x')
  })

  test('a turn marked once is played once, a part of the prompt picks a turn', async () => {
    const text = (words: string): Step => ({ type: 'text', text: words })
    const { run } = agent([
      { when: 'blue', once: true, do: [text('first blue')] },
      { when: 'blue', do: [text('blue again')] },
    ])
    const answers = [await run([], 'blue'), await run([], 'a blue one'), await run([], 'red')]
    const texts = answers.map(({ result }) => result?.result)
    expect(texts).toEqual(['first blue', 'blue again', 'echo: red'])
  })

  test('a side effect is done', async () => {
    const steps: Step[] = [{ type: 'sideEffect', appendFile: '/work/log', line: 'did it' }]
    await agent(playing(...steps)).run([], 'x')
    expect(files.text('/work/log')).toBe('did it\n')
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
    await files.write('/work/secret', 's')
    await run([], 'see @secret')
    expect(last()?.inlined).toEqual(['/work/secret'])
    await run(STREAM_INPUT, user('see @secret', { client_composed: true }))
    expect(last()?.inlined).toEqual([])
    await run(STREAM_INPUT, user('see @secret', { client_composed: true }), { env: old })
    expect(last()?.inlined).toEqual(['/work/secret'])
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

describe('the fake runner', () => {
  test('refuses what cannot be started', async () => {
    const { runner } = agent()
    const command = { args: [], env: {}, workDir: '/work', stdin: new Uint8Array() }
    const start = (file: string, workDir = '/work') =>
      runner.start({ ...command, file, workDir }, 'run_1', DEFAULT_LIMITS)
    await files.write('/bin/other', 'text')
    await expect(start('/bin/none')).rejects.toMatchObject({ code: 'agent-missing' })
    await expect(start('/bin/other')).rejects.toMatchObject({ code: 'agent-unusable' })
    await expect(start('/bin/agent', '/none')).rejects.toMatchObject({ code: 'bad-input' })
  })

  test('probes version and help', async () => {
    const { runner } = agent()
    await files.write('/bin/old', memoryExecutable('2.1.197'))
    expect(await runner.probe('/bin/old', ['--version'], {})).toBe('2.1.197 (Claude Code)\n')
    expect(await runner.probe('/bin/agent', ['--help'], {})).toContain('--resume')
    const without = { FAKE_AGENT_HELP: 'no-resume' }
    expect(await runner.probe('/bin/agent', ['--help'], without)).not.toContain('--resume')
  })

  test('a stopped run ends where it is, with no result and nothing written after', async () => {
    const steps: Step[] = [
      { type: 'waitForFile', path: '/go', reached: '/reached' },
      { type: 'sideEffect', appendFile: '/late', line: 'x' },
    ]
    const { start, runner } = agent(playing(...steps))
    const process = await start(['--session-id', ID], 'x')
    while ((await files.stat('/reached')) === null) await new Promise(setImmediate)
    let before = false
    await process.stop('cancelled', async () => {
      before = true
    })
    await files.write('/go', '')
    expect(before).toBe(true)
    expect(await process.exit).toMatchObject({ endedBy: 'cancelled' })
    expect(files.text('/late')).toBeNull()
    expect(lines().map(line => line.type)).toContain('user')
    expect(runner.running).toEqual([])
  })

  test('a crash leaves the session file as it was', async () => {
    const { start, runner } = agent(playing({ type: 'waitForFile', path: '/go', reached: '/r' }))
    const process = await start(['--session-id', ID], 'x')
    while ((await files.stat('/r')) === null) await new Promise(setImmediate)
    const content = files.text(FILE)
    const [marker = ''] = runner.running
    expect(await runner.endLeftovers(marker)).toBe(1)
    expect(await process.exit).toMatchObject({ code: null, signal: 'SIGKILL', endedBy: null })
    expect(files.text(FILE)).toBe(content)
  })

  test.each([
    ['before-init', 'no-first-event', 0],
    ['here', 'silent', 1],
    ['after-result', 'hung-after-result', 3],
  ] as const)('a hang %s meets the watchdog %s', async (at, endedBy, events) => {
    const ended = await agent(playing({ type: 'hang', at })).run(['--session-id', ID], 'x')
    expect(ended.exit.endedBy).toBe(endedBy)
    expect(ended.events).toHaveLength(events)
  })

  test('signals that are ignored end in a kill, orphans cut the output', async () => {
    const steps: Step[] = [{ type: 'ignoreSignals' }, { type: 'orphan' }, { type: 'hang' }]
    const { exit } = await agent(playing(...steps)).run([], 'x')
    expect(exit).toMatchObject({ signal: 'SIGKILL', endedBy: 'silent', outputCut: true })
  })

  test('lines and output are bounded', async () => {
    const { start } = agent(playing({ type: 'bigLine', bytes: 5000 }))
    const process = await start([], 'x', { limits: { maxLineBytes: 2000 } })
    const kinds = []
    for await (const line of process.lines) kinds.push(line.kind)
    expect(kinds).toContain('oversized')
    const { exit } = await agent(playing({ type: 'flood', events: 1000 })).run([], 'x', {
      limits: { maxOutputBytes: 20_000 },
    })
    expect(exit.endedBy).toBe('output-limit')
  })
})
