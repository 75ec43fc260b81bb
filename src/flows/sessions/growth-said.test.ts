import { expect, test } from 'vitest'
import { NOTHING_GREW } from '../../adapters/adapter.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { type AgentResult, NO_USAGE } from '../../core/run/events.ts'
import { newObservation, observe } from '../../core/run/observe.ts'
import { growthSaid } from './growth-said.ts'

const START: Decision = { action: 'start', reason: { code: 'first-turn' }, checks: [] }
const RESUME: Decision = {
  action: 'resume',
  session: { id: 'ses_1', sessionId: 's' },
  catchUpFrom: 2,
  checks: [],
}
const RESULT: AgentResult = {
  type: 'result',
  ok: true,
  subtype: 'end_turn',
  sessionId: 's',
  text: 'Done.',
  errors: [],
  apiErrorStatus: null,
  errorKind: null,
  stopReason: 'end_turn',
  terminalReason: null,
  turns: 1,
  durationMs: null,
  totalCostUsd: null,
  models: {},
  modelsSinceLastResult: null,
  usage: NO_USAGE,
  unasked: false,
}

function seen(result: Partial<AgentResult>, named = true) {
  const observation = newObservation()
  const about = { model: null, version: null, tools: [], permissionMode: null }
  if (named) observe(observation, { type: 'session', sessionId: 's', ...about })
  observe(observation, { type: 'text', text: 'Done.' })
  observe(observation, { ...RESULT, ...result })
  return observation
}

test('C-2 a new session that went well is proven by the word of the agent, a loaded one by its protocol', () => {
  const grown = { grew: true, holdsPrompt: true, complete: true, text: 'Done.' }
  expect(growthSaid(START, seen({}))).toMatchObject({ ...grown, by: 'word' })
  expect(growthSaid(RESUME, seen({}))).toMatchObject({ ...grown, by: 'protocol' })
})

test('C-2 a turn that failed, or a session without a name, proves nothing', () => {
  expect(growthSaid(RESUME, seen({ ok: false }))).toBe(NOTHING_GREW)
  expect(growthSaid(START, seen({}, false))).toBe(NOTHING_GREW)
  expect(growthSaid(START, newObservation())).toBe(NOTHING_GREW)
})
