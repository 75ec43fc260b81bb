import {
  decisionScenarios,
  interruptionScenarios,
  threadScenarios,
  transcriptScenarios,
  variantScenarios,
} from '../scenarios/threads/threads.ts'
import { ONE_FAKE_KIND } from './kinds.ts'

threadScenarios(ONE_FAKE_KIND)
interruptionScenarios(ONE_FAKE_KIND)
variantScenarios(ONE_FAKE_KIND)
decisionScenarios(ONE_FAKE_KIND)
transcriptScenarios(ONE_FAKE_KIND)
