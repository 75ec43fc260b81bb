// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { describe } from 'vitest'
import {
  interruptionScenarios,
  threadScenarios,
  transcriptScenarios,
  useHarness,
  variantScenarios,
} from '../../scenarios/threads/threads.ts'
import { vaultScenarios } from '../../scenarios/threads/vault.ts'

threadScenarios('2.1.197')
transcriptScenarios('2.1.197')
interruptionScenarios('2.1.197')
variantScenarios('2.1.197')
describe('copies of sessions on 2.1.197', () => vaultScenarios(useHarness('2.1.197')))
