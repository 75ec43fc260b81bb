import { expect, test } from 'vitest'
import { settingsFromEnvironment } from './settings.ts'

const OURS = 'REPRISE_RESUME_CONTEXT_THRESHOLD'
const FORMER = 'CLAUDEOPS_RESUME_CONTEXT_THRESHOLD'
const threshold = (contextThreshold: number) => ({ settings: { contextThreshold } })
const problem = (name: string, value: string) => ({
  problem: `${name} is "${value}", not a number over 0 and up to 1`,
})

test.each<[Record<string, string | undefined>, object]>([
  [{}, { settings: {} }],
  [{ [OURS]: '', HOME: '0.5' }, { settings: {} }],
  [{ [OURS]: '0.6' }, threshold(0.6)],
  [{ [FORMER]: '0.7' }, threshold(0.7)],
  [{ [FORMER]: '0.7', [OURS]: '0.6' }, threshold(0.6)],
  [{ [OURS]: '1' }, threshold(1)],
  [{ [OURS]: '0' }, problem(OURS, '0')],
  [{ [OURS]: '1.01' }, problem(OURS, '1.01')],
  [{ [FORMER]: 'half' }, problem(FORMER, 'half')],
])('D-6 the context threshold comes from the environment: %j', (env, expected) => {
  expect(settingsFromEnvironment(env)).toEqual(expected)
})
