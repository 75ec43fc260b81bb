// Questions of a living process when the store fails meanwhile, and permissions that were given beforehand.
import { describe, expect, test } from 'vitest'
import { permissionRule } from '../../core/calls/permission-rule.ts'
import type { Answer, Question } from '../../core/conversation/question.ts'
import { answerWords } from '../../core/conversation/question-words.ts'
import type { QuestionEvent } from '../../core/run/events.ts'
import type { EventBody } from '../../core/run/run-events.ts'
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
  plan: Partial<ConstructorParameters<typeof LiveQuestions>[2]>,
  questions: (asked: { readonly toolUseId: string }) => Promise<readonly Question[]>,
) {
  const did: string[] = []
  const answers = new WakeUps()
  const store = {
    askQuestion: async () => void did.push('stored'),
    questions,
    answerQuestion: async (_: string, id: string, { answer }: { answer: Answer }) =>
      void did.push(`answered ${id}: ${answerWords(answer)}`),
  }
  const dependencies = {
    store,
    random: { id: (kind: string) => kind },
    clock: {
      now: () => 0,
      sleep: (_: number, signal: AbortSignal) =>
        new Promise<void>(resolve => {
          if (signal.aborted) resolve()
          signal.addEventListener('abort', () => resolve())
        }),
    },
    questions: { expireAfterMs: 1_000 },
    timing: { renewMs: 1_000 },
    live: { answers, slots: { waitReason: () => null } },
  }
  const slot = { lend: () => {}, takeBack: () => {} }
  const input = { runId: 'run_1', lease: {}, agent: { fullEnv: {} }, slot }
  const process = {
    answer: (_: unknown, { kind }: { kind: string }) => void did.push(`wrote ${kind}`),
    waitsForAnswer: (state: string) => void did.push(state),
    stop: async () => void did.push('stopped'),
  }
  const live = new LiveQuestions(
    dependencies as unknown as Dependencies,
    input as unknown as TurnInput,
    { granted: [], allowed: [], ...plan },
  )
  const log = {
    takeRest: async () => [],
    push: (event: EventBody) => {
      const words = event.type === 'answer' ? answerWords(event.answer) : event.type
      did.push(`logged ${words}`)
    },
  }
  return { did, live, process, answers, log }
}

test('T-7 a store that fails while a question waits ends the run with that error, not the program', async () => {
  const { did, live, process, log } = world({}, async () => {
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
  const { did, live, process, log } = world({ granted: [granted] }, async () => [open])
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
  const { did, live, process, log, answers } = world({}, async ({ toolUseId }) => [
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

describe('T-7 a user allows a call for the run', () => {
  const rule = permissionRule({ kind: 'command', tool: 'Bash', value: 'make' })
  const other = permissionRule({ kind: 'command', tool: 'Bash', value: 'make clean' })
  const shown = permissionRule({ ...rule, value: 'make …' })
  const forRun: Answer = { kind: 'allow', forRun: { rule: shown, by: 'user' } }
  const BY_RULE = `allowed without asking, as this run may: ${shown.words}`

  /** Questions as the store has them; `answer` is what the user says to one of them. */
  function asked(plan: Parameters<typeof world>[0] = {}) {
    const stored = new Map<string, Question>()
    const around = world(plan, async ({ toolUseId }) => {
      const question = stored.get(toolUseId)
      return question ? [question] : []
    })
    const { live, process, log, answers } = around
    return {
      ...around,
      stored,
      ask: async (toolUseId: string, ofRule = rule) => {
        const event = { ...ASKED, toolUseId, rule: ofRule }
        const question = { ...event, runId: 'run_1', delivery: 'live', askedAt: 0 } as const
        const state = { state: 'open', answer: null, expiresAt: 1_000, closedAt: null } as const
        stored.set(toolUseId, { ...question, ...state })
        return live.ask(event, process, log)
      },
      answer: async (toolUseId: string, answer: Answer) => {
        const question = stored.get(toolUseId)
        if (question) stored.set(toolUseId, { ...question, state: 'answered', answer })
        answers.wake('run_1')
        for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate)
      },
    }
  }

  test('later calls of the rule are answered without asking and logged; other calls are asked for', async () => {
    const { did, live, ask, answer } = asked()
    await ask('toolu_1')
    await answer('toolu_1', forRun)
    did.length = 0
    expect(await ask('toolu_2')).toBe('granted')
    expect(did).toEqual([`logged ${BY_RULE}`, 'wrote allow'])
    expect(live.didNotRun('toolu_2')).toBe(false)
    expect(await ask('toolu_3', other)).toBe('asked')
    await live.end()
  })

  test('once is once: the same call is asked for again', async () => {
    const { live, ask, answer } = asked()
    await ask('toolu_1')
    await answer('toolu_1', { kind: 'allow' })
    expect(await ask('toolu_2')).toBe('asked')
    await live.end()
  })

  test('calls of the rule that wait for an answer at that moment are allowed as well', async () => {
    const { did, live, ask, answer, stored } = asked()
    for (const id of ['toolu_1', 'toolu_2', 'toolu_3']) await ask(id)
    await ask('toolu_4', other)
    const gone = stored.get('toolu_3')
    if (gone) stored.set('toolu_3', { ...gone, delivery: 'restated' })
    did.length = 0
    await answer('toolu_1', forRun)
    expect(did).toEqual(['wrote allow', `answered toolu_2: ${BY_RULE}`])
    await live.end()
  })

  test('a call that is being stored at that moment is allowed as well', async () => {
    const { did, live, ask, answer, log } = asked()
    await ask('toolu_1')
    did.length = 0
    log.takeRest = async () => {
      await answer('toolu_1', forRun)
      return []
    }
    expect(await ask('toolu_2')).toBe('asked')
    expect(did).toContain(`answered toolu_2: ${BY_RULE}`)
    await live.end()
  })

  test('the run that brings the answer has the permission from its start', async () => {
    const { live, ask } = asked({ allowed: [rule] })
    expect(await ask('toolu_1')).toBe('granted')
    expect(await ask('toolu_2', other)).toBe('asked')
    await live.end()
  })
})

test('E-5 what the fence refuses is refused, and nobody is asked', () => {
  const { did, live, process } = world({}, async () => [])
  live.refuse(ASKED, process, 'outside of the tier')
  expect(did).toEqual(['wrote deny'])
  expect(live.didNotRun('toolu_1')).toBe(true)
})
