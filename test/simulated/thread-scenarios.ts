// Scenarios on the fake agent inside this process, for the tests of mutants: they take milliseconds instead of seconds.
import {
  decisionScenarios,
  interruptionScenarios,
  threadScenarios,
  variantScenarios,
} from '../scenarios/threads/threads.ts'

threadScenarios('in-process')
interruptionScenarios('in-process')
variantScenarios('in-process')
decisionScenarios('in-process')
