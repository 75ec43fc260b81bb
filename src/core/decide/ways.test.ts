import { expect, test } from 'vitest'
import { SAMPLE_FACTS } from '../../../test/decision-samples.ts'
import { SAMPLE_ESTIMATE } from '../../../test/estimate-samples.ts'
import { decide } from './decide.ts'
import type { Decision, Facts } from './decision.ts'
import { DEFAULT_RESUME } from './settings.ts'
import { wayName, waysOf } from './ways.ts'

const session = { id: 'ses_1', sessionId: 'aaaa' }
const because = { reason: { code: 'fresh-asked' }, checks: [] } as const
const fork = { action: 'fork', session, at: null, catchUpFrom: 0, ...because } as const
type Carry = NonNullable<Extract<Decision, { action: 'fork' }>['carry']>
const carry = (way: Carry['way']) => ({ carry: { way } as Carry })

test.each<[Decision, string | null]>([
  [{ action: 'wait', ...because }, null],
  [{ action: 'start', ...because }, 'start'],
  [{ action: 'resume', session, catchUpFrom: 0, checks: [] }, 'resume'],
  [{ action: 'replay', ...because }, 'replay-prompt'],
  [{ action: 'replay', form: 'prompt', ...because }, 'replay-prompt'],
  [{ action: 'replay', form: 'native', ...because }, 'replay-native'],
  [{ action: 'handover', ...because }, 'note'],
  [fork, 'fork'],
  [{ ...fork, ...carry('whole') }, 'fork'],
  [{ ...fork, ...carry('trimmed') }, 'trimmed'],
])('M-4 the way of %j is %s', (decision, name) => {
  expect(wayName(decision)).toBe(name)
})

test('M-4 a tier has its own way alone', () => {
  const facts: Facts = { ...SAMPLE_FACTS, purpose: { kind: 'chain', tier: 2, enters: true } }
  const asked = { facts, settings: DEFAULT_RESUME, canWrite: true }
  const found = waysOf(decide(facts, DEFAULT_RESUME), asked, () => SAMPLE_ESTIMATE)
  expect(found.map(({ way, isChosen }) => [way, isChosen])).toEqual([['fork', true]])
})
