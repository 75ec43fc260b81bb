import { beforeEach, describe, expect, test } from 'vitest'
import { FILE, ID, inProcessAgent, linesOf, playing, smallWorld } from '../in-process-agent.ts'
import type { MemoryFiles } from '../memory-files.ts'
import type { FakeScript, ScriptStep } from './script.ts'

const FORK = '22222222-2222-4222-8222-222222222222'

type Usage = { cache_creation_input_tokens: number; cache_read_input_tokens: number }

let files: MemoryFiles
beforeEach(async () => {
  files = await smallWorld()
})

const agent = (script?: FakeScript) => inProcessAgent(files, script)
const lines = () => linesOf(files)

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
    const tool: ScriptStep = { type: 'tool', name: 'Bash', result: null }
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
    ['2.1.197', [], 'new'],
    ['2.1.325', [], 'old'],
    ['2.1.325', ['--system-prompt-snapshot', 'off'], 'new'],
  ])(
    'T-8 version %s %j keeps to the %s instructions on a resume',
    async (version, flags, expected) => {
      const { run, last } = agent()
      const env = { FAKE_AGENT_VERSION: version }
      await files.write('/new', 'new')
      await run(['--session-id', ID, '--append-system-prompt', 'old'], 'one', { env })
      await run(['--resume', ID, '--append-system-prompt-file', '/new', ...flags], 'two', { env })
      expect(last()?.instructions).toBe(expected)
    },
  )
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

  test('M-1 before 2.1.277 totals count the process alone, and a resume is cheap', async () => {
    const [first = 0, second = 0] = await totals('2.1.276')
    expect(second).toBeGreaterThan(0)
    expect(second).toBeLessThan(first / 2)
    expect(lines().filter(line => line.type === 'cost-state')).toEqual([])
  })

  test('within a turn, each request reads what the one before it wrote', async () => {
    await agent(playing({ type: 'tool', name: 'Bash' })).run(['--session-id', ID], 'one')
    const spoken = lines().filter(line => line.type === 'assistant')
    const [first, second] = spoken.map(line => (line.message as { usage: Usage }).usage)
    expect(first?.cache_creation_input_tokens).toBeGreaterThan(0)
    expect(second?.cache_read_input_tokens).toBe(first?.cache_creation_input_tokens)
  })

  test('another model finds nothing in the cache', async () => {
    const { run } = agent()
    await run(['--session-id', ID, '--model', 'claude-a'], 'one')
    const { result } = await run(['--resume', ID, '--model', 'claude-b'], 'two')
    expect(result?.usage).toMatchObject({ cache_read_input_tokens: 0 })
  })
})
