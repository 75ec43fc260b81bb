import { describe, expect, test } from 'vitest'
import type { Continuation } from '../../core/decide/continuation.ts'
import type { AgentResult } from '../../core/run/events.ts'
import { NO_USAGE } from '../../core/run/events.ts'
import type { Exit, KillReason } from '../../core/run/run.ts'
import type { OutcomeFacts, RunSpec } from '../adapter.ts'
import { outcomeOf } from './outcome.ts'

const RESULT: AgentResult = {
  type: 'result',
  ok: true,
  subtype: 'success',
  sessionId: 's',
  text: 'done',
  errors: [],
  apiErrorStatus: null,
  errorKind: null,
  stopReason: 'end_turn',
  terminalReason: 'completed',
  turns: 1,
  durationMs: 1,
  totalCostUsd: 0,
  models: {},
  modelsSinceLastResult: null,
  usage: NO_USAGE,
  unasked: false,
}

const ZERO_TURNS = { ...RESULT, ok: false, subtype: 'error_during_execution', text: null, turns: 0 }
const NEW: Continuation = { kind: 'new', sessionId: 's' }
const RESUME: Continuation = { kind: 'resume', sessionId: 's' }
const FORK: Continuation = { kind: 'fork', from: 'p', at: 'a', sessionId: 's' }

type Ending = {
  readonly continuation?: Continuation
  readonly seen?: Partial<OutcomeFacts>
  readonly exit?: Partial<Exit>
}

function end({ continuation = NEW, seen, exit }: Ending) {
  const observed: OutcomeFacts = {
    announcedSessionId: 's',
    sawAnyEvent: true,
    result: null,
    toolsRan: 0,
    limitResetsAt: null,
    limitRejected: false,
    ...seen,
  }
  const spec = { continuation } as RunSpec
  const exited = { code: 0, signal: null, endedBy: null, stderr: '', outputCut: false, ...exit }
  const outcome = outcomeOf(spec, observed, exited)
  if (outcome.kind === 'completed') return 'completed'
  expect(outcome.failure.message).not.toBe('')
  expect(outcome.failure.hint).not.toBe('')
  expect(outcome.failure.toolsRan).toBe(observed.toolsRan)
  return `${outcome.kind}/${outcome.failure.class}`
}

const NOTHING = { announcedSessionId: null, sawAnyEvent: false }

describe('H-3 success', () => {
  test('is a result that says so, whatever the exit code', () => {
    expect(end({ seen: { result: RESULT }, exit: { code: 1 } })).toBe('completed')
  })

  test('is not exit code 0', () => {
    expect(end({ exit: { code: 0 } })).toBe('interrupted/no-result')
    expect(end({ seen: NOTHING, exit: { code: 0 } })).toBe('failed/no-result')
  })

  test('stays one when the agent hangs after it, but not when the user cancelled', () => {
    const seen = { result: RESULT }
    expect(end({ seen, exit: { endedBy: 'hung-after-result' } })).toBe('completed')
    expect(end({ seen, exit: { endedBy: 'cancelled' } })).toBe('cancelled/cancelled')
  })
})

test('H-3 a failure that the agent reports before it hangs counts as that failure', () => {
  const result = { ...RESULT, ok: false, apiErrorStatus: 529 }
  const exit = { endedBy: 'hung-after-result' } as const
  expect(end({ seen: { result }, exit })).toBe('failed/overload')
  expect(end({ exit })).toMatch(/^interrupted/)
})

describe('F-1 a refused resume', () => {
  const refused = { ...NOTHING, sawAnyEvent: true, result: ZERO_TURNS }

  test('is a failure without turns before any session', () => {
    expect(end({ continuation: RESUME, seen: refused })).toBe('failed/resume-refused')
    expect(end({ continuation: NEW, seen: refused })).toBe('failed/unknown')
  })

  test('C-3 is another session that answers, even well', () => {
    const seen = { announcedSessionId: 'other', result: RESULT, toolsRan: 2 }
    expect(end({ continuation: RESUME, seen })).toBe('failed/resume-refused')
    expect(end({ continuation: FORK, seen })).toBe('failed/resume-refused')
    expect(end({ continuation: { ...FORK, sessionId: null }, seen })).toBe('completed')
  })

  test('is an exit without a word', () => {
    expect(end({ continuation: RESUME, seen: NOTHING, exit: { code: 1 } })).toBe(
      'failed/resume-refused',
    )
  })

  test('is not a command line the agent does not accept: a fresh start would fail too', () => {
    const exit = { code: 1, stderr: "error: unknown option '--x'" }
    expect(end({ continuation: RESUME, seen: NOTHING, exit })).toBe('failed/bad-request')
    expect(end({ continuation: NEW, seen: NOTHING, exit })).toBe('failed/bad-request')
  })

  test('is not an API failure of a session that was announced', () => {
    const result = { ...RESULT, ok: false, apiErrorStatus: 500 }
    expect(end({ continuation: RESUME, seen: { result } })).toBe('failed/server-error')
  })

  test('is not a failure after turns, announced or not', () => {
    const result = { ...ZERO_TURNS, turns: 2 }
    const seen = { ...NOTHING, sawAnyEvent: true, result }
    expect(end({ continuation: RESUME, seen })).toBe('failed/unknown')
  })

  test('is not seen in what the model said', () => {
    const result = { ...RESULT, text: 'No conversation found with session ID: s' }
    expect(end({ continuation: RESUME, seen: { result } })).toBe('completed')
  })
})

describe('F-1 a missing anchor', () => {
  const seen = (error: string) => ({
    ...NOTHING,
    sawAnyEvent: true,
    result: { ...ZERO_TURNS, errors: [error] },
  })

  test('differs from a refused session by its words, and is assumed when in doubt', () => {
    const at = (error: string) => end({ continuation: FORK, seen: seen(error) })
    expect(at('No message found with message.uuid of: a')).toBe('failed/anchor-missing')
    expect(at('something new')).toBe('failed/anchor-missing')
    expect(at('No conversation found with session ID: p')).toBe('failed/resume-refused')
  })
})

test.each<[KillReason, string]>([
  ['cancelled', 'cancelled/cancelled'],
  ['no-first-event', 'interrupted/no-first-event'],
  ['silent', 'interrupted/silent'],
  ['too-slow', 'interrupted/too-slow'],
  ['output-limit', 'interrupted/output-limit'],
  ['shutdown', 'interrupted/shutdown'],
  ['lease-lost', 'interrupted/supervisor-died'],
  ['hung-after-result', 'interrupted/silent'],
])('what we ended ourselves (%s) ends as %s, resumed or not', (endedBy, expected) => {
  const exit = { code: null, signal: 'SIGKILL', endedBy }
  expect(end({ exit })).toBe(expected)
  expect(end({ continuation: RESUME, seen: NOTHING, exit })).toBe(expected)
})

test.each([{ code: null, signal: 'SIGKILL' as const }, { code: 137 }])(
  'F-1 an agent that was killed before its first word (%j) has not refused the session',
  how => {
    const exit = { ...how, endedBy: null }
    expect(end({ continuation: RESUME, seen: NOTHING, exit })).toBe('failed/agent-crashed')
  },
)

test.each<[string, Partial<AgentResult>, string]>([
  ['a status', { apiErrorStatus: 503 }, 'server-error'],
  ['a kind without status', { errorKind: 'authentication_failed' }, 'auth'],
  ['a timeout', { errorKind: 'server_error', text: 'Request timed out' }, 'network'],
  ['a reset', { errorKind: 'server_error', text: 'API Error (ECONNRESET)' }, 'network'],
  ['a server error', { errorKind: 'server_error', text: 'API Error' }, 'server-error'],
  ['too many turns', { subtype: 'error_max_turns' }, 'max-turns'],
  ['its own limit', { terminalReason: 'blocking_limit' }, 'too-long'],
  ['nothing at all', {}, 'unknown'],
])('the class of a failure comes from %s', (_, result, expected) => {
  expect(end({ seen: { result: { ...RESULT, ok: false, ...result } } })).toBe(`failed/${expected}`)
})

test('J-4 a usage limit carries its reset time; a rate limit has none', () => {
  const result = { ...RESULT, ok: false, apiErrorStatus: 429 }
  const seen: OutcomeFacts = {
    announcedSessionId: 's',
    sawAnyEvent: true,
    result,
    toolsRan: 0,
    limitResetsAt: 1_794_777_493_000,
    limitRejected: true,
  }
  const exit = { code: 1, signal: null, endedBy: null, stderr: '', outputCut: false }
  const spec = { continuation: NEW } as RunSpec
  expect(outcomeOf(spec, seen, exit)).toMatchObject({
    failure: { class: 'usage-limit', resetsAt: 1_794_777_493_000 },
  })
  expect(outcomeOf(spec, { ...seen, limitRejected: false }, exit)).toMatchObject({
    failure: { class: 'rate-limit', resetsAt: null },
  })
})
