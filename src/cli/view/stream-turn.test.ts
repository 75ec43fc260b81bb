import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { SAMPLE_RUN } from '../../../test/sample-run.ts'
import type { Turn, TurnResult } from '../../api.ts'
import { NO_USAGE } from '../../core/run/events.ts'
import type { Run } from '../../core/run/run.ts'
import {
  type EndStatus,
  type EventBody,
  endedEvent,
  type RunEvent,
} from '../../core/run/run-events.ts'
import type { Io, TerminalLine } from '../start/io.ts'
import { streamTurn, summaryOf, type TurnOutput } from './stream-turn.ts'

const run = SAMPLE_RUN

const placed = (seq: number, event: EventBody): RunEvent => ({
  runId: 'run_1',
  seq,
  at: 0,
  ...event,
})

type Play = {
  readonly events: readonly EventBody[]
  readonly ends?: Run
  readonly tty?: boolean
  readonly line?: TerminalLine
  /** Instead of an end. */
  readonly breaks?: Error
}

/** A turn that is played from a list. `stop` asks it to stop, as Ctrl-C would. */
function play(
  { events, ends = run, tty = false, line, breaks }: Play,
  output: TurnOutput = 'text',
) {
  let out = ''
  let err = ''
  let stop = () => {}
  const exits: number[] = []
  const cancel = vi.fn(async () => {})
  const release = Promise.withResolvers<void>()
  const io: Io = {
    stdin: Readable.from([]),
    isStdinPiped: () => false,
    stdout: { write: text => (out += text) },
    stderr: { write: text => (err += text), isTTY: tty, columns: 40 },
    ...(line && { line }),
    env: { NO_COLOR: '1' },
    cwd: '/',
    onStopRequest(listener) {
      stop = listener
      return () => {}
    },
    exitNow: code => exits.push(code),
  }
  const result: TurnResult = { run: ends, threadId: 'thr_1', messageId: 'msg_1', text: 'hi' }
  const turn: Turn = {
    submitted: Promise.resolve({ runId: run.id, messageId: 'msg_1' }),
    result: Promise.resolve(result),
    cancel,
    async *[Symbol.asyncIterator]() {
      for (const [at, event] of events.entries()) yield placed(at + 1, event)
      await release.promise
      if (breaks) throw breaks
      const { status, failure } = ends
      const ended = endedEvent({ status: status as EndStatus, failure, continuedBy: null })
      yield placed(events.length + 1, ended)
    },
  }
  const code = streamTurn(io, turn, output)
  return {
    stop: () => stop(),
    cancel,
    exits,
    out: () => out,
    end: async () => {
      release.resolve()
      return { code: await code, out, err }
    },
  }
}

const tool = { type: 'tool', id: 't', name: 'Bash', parentId: null } as const

test('text goes out as it comes, with a line break around tool calls and at the end', async () => {
  const turn = play({
    events: [
      { type: 'text', text: 'one ' },
      { type: 'text', text: 'two' },
      { ...tool, input: '{"command":"ls"}' },
      { type: 'text', text: 'three' },
    ],
  })
  expect((await turn.end()).out).toBe('one two\nthree\n')
})

test('an error in the middle of an answer is printed on a line of its own', async () => {
  const breaks = new Error('the disk is full')
  const turn = play({ events: [{ type: 'text', text: 'half an ans' }], breaks })
  await expect(turn.end()).rejects.toBe(breaks)
  expect(turn.out()).toBe('half an ans\n')
})

test('progress is for terminals: short lines on stderr, harmless and no wider than the terminal', async () => {
  const events: EventBody[] = [
    { ...tool, input: '{"command":"ls -la\\n\\u001b[31mred"}' },
    { ...tool, name: 'Write', input: `{"file":"${'x'.repeat(100)}"}` },
    { ...tool, name: 'Cut', input: '{"file":"never clo' },
  ]
  const seen = (await play({ events, tty: true }).end()).err.split('\n')
  expect(seen.slice(0, 3)).toEqual([
    '▸ Bash ls -la ⏎ ␛[31mred',
    `▸ Write ${'x'.repeat(31)}…`,
    '▸ Cut never clo',
  ])
  expect((await play({ events }).end()).err).not.toContain('▸')
})

test('U-4 why a turn waits is said without a terminal, too, but not of a turn that is refused at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const words = 'waits for run_0, which goes first on this thread'
    const events: EventBody[] = [{ type: 'queued', behind: 'run_0', words }]
    const waits = play({ events })
    await vi.advanceTimersByTimeAsync(1_000)
    expect((await waits.end()).err.split('\n')[0]).toBe(`▸ ${words}`)
    const refused = play({ events })
    await vi.advanceTimersByTimeAsync(900)
    const { err } = await refused.end()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(err).not.toContain('▸')
  } finally {
    vi.useRealTimers()
  }
})

test('the last line on stderr is decision · tokens · cost · saved', async () => {
  const { err, code } = await play({ events: [] }).end()
  expect(code).toBe(0)
  expect(err.trimEnd().split('\n').at(-1)).toBe(
    'resume · 12,304 in (12,000 cached), 56 out · $0.0123 · saved about $0.0377',
  )
  expect(summaryOf({ ...run, usage: NO_USAGE, costUsd: null, savings: null })).toBe(
    'resume · tokens unknown · cost unknown',
  )
  const savings = { coldInputTokens: 0, coldCostUsd: 0, savedUsd: 0, estimate: true } as const
  expect(summaryOf({ ...run, usage: NO_USAGE, costUsd: 0, savings })).toBe(
    'resume · no tokens · $0',
  )
})

test.each([
  ['failed', 'auth', 1],
  ['failed', 'budget', 6],
  ['interrupted', 'agent-crashed', 1],
] as const)(
  'a run that is %s (%s) is exit %i, with what and a hint',
  async (status, cause, exit) => {
    const failure = { class: cause, message: 'what\x1b', hint: 'do', toolsRan: 0, resetsAt: null }
    const { code, err } = await play({ events: [], ends: { ...run, status, failure } }).end()
    expect(code).toBe(exit)
    expect(err).toMatch(/^error: what␛\nhint: do\n/)
  },
)

test('a run that the user cancelled gives exit 5 and a plain line, not an error', async () => {
  const more = { message: 'what\x1b', hint: 'do', toolsRan: 0, resetsAt: null }
  const failure = { class: 'cancelled', ...more } as const
  const ends = { ...run, status: 'cancelled', failure } as const
  const { code, err } = await play({ events: [], ends }).end()
  expect([code, err.split('\n')[0]]).toEqual([5, 'what␛'])
  expect(err).not.toContain('error:')
})

test('with --json there is one value, and nothing else on stdout', async () => {
  const { out } = await play({ events: [{ type: 'text', text: 'hi' }] }, 'json').end()
  expect(JSON.parse(out)).toEqual({ run, threadId: 'thr_1', messageId: 'msg_1', text: 'hi' })
})

test('the first request to stop cancels, the same key press twice is one, the next leaves at once', async () => {
  const now = vi.spyOn(performance, 'now')
  const turn = play({ events: [] })
  now.mockReturnValue(1_000)
  turn.stop()
  now.mockReturnValue(1_050)
  turn.stop()
  expect(turn.cancel).toHaveBeenCalledTimes(1)
  expect(turn.exits).toEqual([])
  now.mockReturnValue(2_000)
  turn.stop()
  expect(turn.exits).toEqual([5])
  now.mockRestore()
  await turn.end()
})

test('where the last line shows what runs, a call has its line when it is over, and how it ended', async () => {
  const input = '{"command":"npm test"}'
  const done = { type: 'tool-result', isError: false, denied: false, text: '' } as const
  const turn = play({
    events: [
      { type: 'text', text: 'I test' },
      { ...tool, input },
      { ...done, id: 't' },
      { ...tool, id: 'u', input },
      { ...done, id: 'u', isError: true, text: 'exit 1' },
      { ...tool, id: 'v', input },
      { type: 'text', text: 'half' },
    ],
    tty: true,
    line: { show: () => {}, clear: () => {} },
  })
  const { out, err } = await turn.end()
  expect(out).toBe('I test\nhalf\n')
  expect(err.split('\n').slice(0, 3)).toEqual([
    '✓ Bash npm test',
    '✗ Bash npm test: exit 1',
    '? Bash npm test: it is not known how t…',
  ])
})

test('T-7 a call that waits for a person is not one with an unknown end; the answered question has no line of its own', async () => {
  const asked = { type: 'question', requestId: null, items: [], input: '{}' } as const
  const done = { type: 'tool-result', isError: false, denied: false, text: '' } as const
  const turn = play({
    events: [
      { ...tool, id: 'q', name: 'AskUserQuestion', input: '{}' },
      { ...asked, toolUseId: 'q', kind: 'question', tool: 'AskUserQuestion' },
      { ...tool, id: 'p', input: '{"command":"npm test"}' },
      { ...asked, toolUseId: 'p', kind: 'permission', tool: 'Bash' },
      { ...done, id: 'q' },
      { ...done, id: 'p' },
      { ...tool, id: 'w', input: '{"command":"ls"}' },
      { ...asked, toolUseId: 'w', kind: 'permission', tool: 'Bash' },
    ],
    tty: true,
    line: { show: () => {}, clear: () => {} },
  })
  const { err } = await turn.end()
  expect(err.split('\n').filter(line => /^[✓✗⊘?]/.test(line))).toEqual(['✓ Bash npm test'])
})
