// Questions of a living process when the store fails meanwhile, and permissions that were given beforehand.
import { expect, test } from 'vitest'
import type { Question } from '../../core/conversation/question.ts'
import type { QuestionEvent } from '../../core/run/events.ts'
import type { Dependencies } from '../dependencies.ts'
import { WakeUps } from '../queue/wake-ups.ts'
import type { TurnInput } from '../turn/turn-input.ts'
import { LiveQuestions } from './live-questions.ts'

const ASKED: QuestionEvent = {
  type: 'question',
  toolUseId: 'toolu_1',
  kind: 'permission',
  tool: 'Bash',
  input: '{"command":"make"}',
  items: [],
  requestId: 'request-1',
}

/** Only what a waiting question touches. */
function world(
  granted: readonly Question[],
  questions: (asked: { readonly toolUseId: string }) => Promise<readonly Question[]>,
) {
  const did: string[] = []
  const answers = new WakeUps()
  const store = { askQuestion: async () => void did.push('stored'), questions }
  const dependencies = {
    store,
    clock: { now: () => 0, sleep: () => new Promise(() => {}) },
    questions: { expireAfterMs: 1_000 },
    timing: { renewMs: 1_000 },
    live: { answers },
  }
  const adapter = { answerLine: (_: unknown, { kind }: { kind: string }) => kind }
  const slot = { lend: () => {}, takeBack: () => {} }
  const input = { runId: 'run_1', lease: {}, agent: { adapter, fullEnv: {} }, slot }
  const process = {
    write: (line: string) => void did.push(`wrote ${line}`),
    waitsForAnswer: (state: string) => void did.push(state),
    stop: async () => void did.push('stopped'),
  }
  const live = new LiveQuestions(
    dependencies as unknown as Dependencies,
    input as unknown as TurnInput,
    granted,
  )
  return { did, live, process, answers, log: { takeRest: async () => [] } }
}

test('T-7 a store that fails while a question waits ends the run with that error, not the program', async () => {
  const { did, live, process, log } = world([], async () => {
    throw new Error('disk I/O error')
  })
  await live.ask(ASKED, process, log)
  // Unhandled, the rejection would be thrown out of the test here.
  await new Promise(resolve => setImmediate(resolve))
  expect(did).toEqual(['stored', 'waits', 'stopped', 'goes-on'])
  await expect(live.end()).rejects.toThrow('disk I/O error')
})

test('T-7a a permission that was given for a call is used up by it: the same call is asked for again', async () => {
  const granted: Question = {
    ...ASKED,
    runId: 'run_0',
    state: 'answered',
    delivery: 'restated',
    answer: { kind: 'allow' },
    askedAt: 0,
    expiresAt: 1,
    closedAt: 1,
  }
  const open = { ...granted, state: 'open', expiresAt: 1_000, toolUseId: 'toolu_2' } as const
  const { did, live, process, log } = world([granted], async () => [open])
  expect(await live.ask(ASKED, process, log)).toBe('granted')
  expect(await live.ask({ ...ASKED, toolUseId: 'toolu_2' }, process, log)).toBe('asked')
  expect(did).toEqual(['wrote allow', 'stored', 'waits'])
})

test('T-7 F-3 a process waits while one of its questions is open, and a refused call counts as not run', async () => {
  const open: Question = {
    ...ASKED,
    runId: 'run_1',
    state: 'open',
    delivery: 'live',
    answer: null,
    askedAt: 0,
    expiresAt: 1_000,
    closedAt: null,
  }
  const questions = new Map(['toolu_1', 'toolu_2'].map(id => [id, { ...open, toolUseId: id }]))
  const { did, live, process, log, answers } = world([], async ({ toolUseId }) => [
    questions.get(toolUseId) ?? open,
  ])
  const answer = async (toolUseId: string, kind: 'allow' | 'deny') => {
    const given = kind === 'allow' ? { kind } : { kind, message: 'no' }
    questions.set(toolUseId, { ...open, toolUseId, state: 'answered', answer: given })
    answers.wake('run_1')
    await new Promise(resolve => setImmediate(resolve))
  }
  for (const toolUseId of questions.keys()) await live.ask({ ...ASKED, toolUseId }, process, log)
  const didNotRun = () => ['toolu_1', 'toolu_2'].map(id => live.didNotRun(id))
  expect(didNotRun()).toEqual([true, true])
  await answer('toolu_1', 'allow')
  expect(did).toEqual(['stored', 'waits', 'stored', 'waits', 'wrote allow'])
  expect(didNotRun()).toEqual([false, true])
  await answer('toolu_2', 'deny')
  expect(did.slice(5)).toEqual(['wrote deny', 'goes-on'])
  expect(didNotRun()).toEqual([false, true])
  await live.end()
})
