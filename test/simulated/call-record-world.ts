// The record of a call over a store that notes what reaches it, and an adapter that says what the test wants.
import { NOTHING_GREW } from '../../src/adapters/adapter.ts'
import { CallRecord } from '../../src/flows/drop-in/call-record.ts'
import type { RunEnd, RunStart } from '../../src/store/contract/runs.ts'

export const SESSION = {
  ...{ id: 'ses_1', sessionId: 's-1', agent: 'one', workDir: '/project', runtime: 'r' },
  ...{ model: 'm', seen: [], pointer: 'confirmed', fruitlessResumes: 0, failedResumes: 0 },
}
export const WHOLE = {
  ...{ ...NOTHING_GREW, grew: true, holdsPrompt: true, complete: true, end: 'a-1' },
  anchors: ['a-1'],
}
export const BEFORE = {
  id: 'msg_0',
  role: 'user',
  agent: null,
  text: 'before',
  tools: [],
  hash: 'h',
}
export const EXIT = { code: 0, signal: null, endedBy: null, stderr: '', outputCut: false }
const NEW = { session: { kind: 'new', sessionId: 's-1' }, source: null, sessionId: 's-1' }
export const RESUME = {
  session: { kind: 'resume', sessionId: 's-1' },
  ...{ source: SESSION, sessionId: 's-1', isNew: false },
}
export const FORK = { session: { kind: 'fork', from: 's-1', sessionId: 's-2' }, source: SESSION }

const said = (type: string, more: object = {}) => ({ type, ...more }) as never
export const text = (words: string) => said('text', { text: words })
export const named = (sessionId: string) =>
  said('session', { sessionId, model: 'm', version: '1', tools: [], permissionMode: null })
export const result = (more: object = {}) =>
  said('result', {
    ...{ ok: true, subtype: 'success', sessionId: 's-1', text: 'done', errors: [], turns: 1 },
    ...{ apiErrorStatus: null, errorKind: null, stopReason: null, terminalReason: null },
    ...{ durationMs: null, totalCostUsd: 0.5, models: {}, modelsSinceLastResult: null },
    usage: { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 },
    ...{ unasked: false, ...more },
  })

export type CallGiven = {
  readonly call?: object
  /** The session that each run named, as the store knows it; `null`: none. */
  readonly sessionId?: string | null
  readonly sessions?: readonly object[]
  /** What is in the session file at each look; the last one stays. */
  readonly growth?: readonly object[]
  readonly outcome?: object
  readonly store?: object
  readonly branch?: readonly object[]
}

export function callRecordWorld(given: CallGiven = {}) {
  const notes: string[] = []
  const starts: RunStart[] = []
  const ends: RunEnd[] = []
  const written: RunEnd['events'][number][] = []
  const looks = [...(given.growth ?? [WHOLE])]
  const announced: object[] = []
  const specs: { spec: object; exit: object }[] = []
  let ids = 0
  const store = {
    branch: async () => given.branch ?? [],
    givePrompt: async (_: object, runId: string, prompt: { message: object; title: string }) =>
      void notes.push(`prompt of ${runId}: ${prompt.title}`),
    startRun: async (_: object, start: RunStart) => {
      starts.push(start)
      const { runId: id, startedAt, runtime, model } = start
      return { id, startedAt, runtime, model, chainId: null, tier: null }
    },
    appendEvents: async (_: object, __: string, events: RunEnd['events']) =>
      void written.push(...events),
    run: async (id: string) => ({
      ...{ id, sessionId: given.sessionId === undefined ? 's-1' : given.sessionId },
    }),
    sessions: async () => given.sessions ?? [SESSION],
    announceSession: async (_: object, runId: string, session: object) =>
      void announced.push({ runId, ...session }),
    endRun: async (_: object, end: RunEnd) => {
      ends.push(end)
      return null
    },
    removeThread: async () => void notes.push('removed'),
    ...given.store,
  }
  const dependencies = {
    store,
    files: {},
    clock: {
      now: () => 5,
      sleep: async (ms: number) => void (ms > 1 && notes.push(`slept ${ms}`)),
    },
    random: { id: (kind: string) => `${kind}_${++ids}` },
    timing: { eventBatchMs: 1 },
    questions: { expireAfterMs: 1 },
    tracing: { end: async () => {} },
    vault: { isShared: false, keep: async () => {} },
  }
  const adapter = {
    outcomeOf: (spec: object, _: object, exit: object) => {
      specs.push({ spec, exit })
      return given.outcome ?? { kind: 'completed' }
    },
    money: {
      ...{ usageMeans: 'request', price: () => null, contextWindow: () => null },
      costMeans: () => 'process',
    },
    sessionFiles: { growth: async () => (looks.length > 1 ? looks.shift() : looks[0]) },
  }
  const runtime = { fingerprint: 'r' }
  const agent = {
    name: 'one',
    model: 'm',
    fullEnv: { A: '1' },
    secrets: ['hunter2horse'],
    runtime,
    adapter,
  }
  const call = {
    ...{ agent, thread: { id: 'thr_1', view: 'all' }, lease: { threadId: 'thr_1' } },
    ...{
      workDir: '/project',
      model: 'm',
      args: ['-p', 'hunter2horse'],
      facts: { a: 1 },
      resume: {},
    },
    mark: { path: '/s-1.jsonl', sizeBytes: 7, costUsd: 0.25 },
    ...{ foreignMessages: 0, processRunId: 'run_0', notice: null, isNew: true },
    ...NEW,
    ...given.call,
  }
  const record = new CallRecord(dependencies as never, call as never)
  return { record, notes, starts, ends, written, announced, specs }
}

/** What the events say, without their times. */
export const eventsIn = ({ events }: { readonly events: readonly { readonly json: string }[] }) =>
  events.map(({ json }) => JSON.parse(json))
