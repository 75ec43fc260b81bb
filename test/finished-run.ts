// A run that has ended, as far as settling looks at it.
import { NOTHING_GREW } from '../src/adapters/adapter.ts'
import { hashOf } from '../src/core/conversation/messages.ts'
import type { AgentResult } from '../src/core/run/events.ts'
import { newObservation } from '../src/core/run/observe.ts'
import type { Finished } from '../src/flows/turn/settle.ts'

export const PROMPT = { role: 'user', agent: null, text: 'go on' } as const
export const CALL = {
  id: 'call',
  name: 'Bash',
  input: '{}',
  result: 'done',
  isError: false,
} as const

export const GREW = {
  ...NOTHING_GREW,
  grew: true,
  holdsPrompt: true,
  anchors: ['a-1'],
  end: 'a-1',
  text: 'half',
}

/** Only what settling looks at. */
export function finished(change: Partial<Finished> = {}): Finished {
  const given = {
    run: { id: 'run_1', chainId: null, model: 'm', startedAt: 1, runtime: 'agent 2' },
    agent: {
      name: 'claude-code',
      model: 'm',
      runtime: 'agent 2',
      secrets: [],
      fullEnv: {},
      adapter: {
        money: {
          usageMeans: 'request',
          costMeans: () => 'process',
          price: () => null,
          contextWindow: () => 200_000,
        },
      },
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

export const COMPLETED = { kind: 'completed' } as Finished['outcome']
export const REPLAY = { action: 'replay' } as Finished['decision']
export const resultOf = (change: Partial<AgentResult>): AgentResult =>
  ({ type: 'result', ok: true, text: null, turns: 3, models: {}, ...change }) as AgentResult
