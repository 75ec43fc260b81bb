import {
  decisionScenarios,
  interruptionScenarios,
  threadScenarios,
} from '../scenarios/threads/threads.ts'

for (const kind of ['fake', 'fake 2.1.197'] as const) {
  threadScenarios(kind)
  interruptionScenarios(kind)
  decisionScenarios(kind)
}
