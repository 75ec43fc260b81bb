import {
  decisionScenarios,
  interruptionScenarios,
  threadScenarios,
} from '../scenarios/threads/threads.ts'
import { FAKE_KINDS } from './kinds.ts'

for (const kind of FAKE_KINDS) {
  threadScenarios(kind)
  interruptionScenarios(kind)
  decisionScenarios(kind)
}
