// What an ended run leaves behind, as a table of what its stream and its session file said.
import { expect, test } from 'vitest'
import { NOTHING_GREW } from '../../adapters/adapter.ts'
import { hashOf } from '../../core/conversation/messages.ts'
import { newObservation } from '../../core/run/observe.ts'
import { type Finished, settle } from './settle.ts'

const PROMPT = { role: 'user', agent: null, text: 'go on' } as const
const CALL = { id: 'call', name: 'Bash', input: '{}', result: 'done', isError: false } as const

const GREW = {
  ...NOTHING_GREW,
  grew: true,
  holdsPrompt: true,
  anchors: ['a-1'],
  end: 'a-1',
  text: 'half',
}

/** Only what settling looks at. */
function finished(change: Partial<Finished> = {}): Finished {
  const given = {
    run: { id: 'run_1', chainId: null, model: 'm', startedAt: 1, runtime: 'agent 2' },
    agent: {
      name: 'claude-code',
      model: 'm',
      runtime: 'agent 2',
      secrets: [],
      fullEnv: {},
      adapter: { costMeaning: () => 'process', price: () => null, contextWindow: () => 200_000 },
    },
    session: { id: 'ses_1', sessionId: 's', runtime: 'agent 1', instructionsHash: 'old' },
    instructionsHash: 'new',
    decision: { action: 'resume', catchUpFrom: 0, session: { id: 'ses_1', sessionId: 's' } },
    sent: {},
    view: [],
    prompt: { ...PROMPT, id: 'msg_1', hash: hashOf(PROMPT), tools: [] },
    mark: { path: null, sizeBytes: 0, costUsd: 0 },
    growth: GREW,
    observation: newObservation(),
    outcome: { kind: 'interrupted', failure: { class: 'silent', toolsRan: 0 } },
    exit: null,
    now: 2,
    expireAfterMs: 1,
    answerId: 'msg_2',
    restatedId: 'msg_3',
    fallback: null,
    verdict: null,
    supervise: null,
    unwritten: [],
  }
  return { ...(given as unknown as Finished), ...change }
}

test('T-8 a session knows new instructions, and runs on a new program, only when it was shown the prompt', () => {
  expect(settle(finished()).session).toMatchObject({ instructionsHash: 'new', runtime: 'agent 2' })
  const unsaved = settle(finished({ growth: NOTHING_GREW })).session
  expect(unsaved).toMatchObject({ instructionsHash: 'old', runtime: 'agent 1', seen: [] })
})

test('C-2 a session file that grew without our prompt confirms nothing', () => {
  expect(settle(finished()).session).toMatchObject({ confirm: true, knownEnd: 'a-1' })
  const growth = { ...GREW, holdsPrompt: false }
  expect(settle(finished({ growth })).session).toMatchObject({
    confirm: false,
    knownEnd: null,
    seen: [],
  })
})

test.each([
  ['all that was heard', false, { danglingTools: 0 }],
  ['a call without the result that was heard', true, { danglingTools: 1 }],
  ['less text than was heard', true, { text: 'ha' }],
])(
  'F-7 D-4 of a broken answer, a session that holds %s has seen only a part: %s',
  (_, isPart, growth) => {
    const observation = { ...newObservation(), text: 'half', tools: new Map([[CALL.id, CALL]]) }
    const end = settle(finished({ observation, growth: { ...GREW, tools: [CALL], ...growth } }))
    expect(end.answer).toMatchObject({ text: 'half', interrupted: true })
    expect(end.session?.seen.at(-1)).toMatchObject({ hash: end.answer?.hash, isPart })
  },
)
