// Scenarios on the fake agent inside this process, for the tests of mutants: they take milliseconds instead of seconds.
import {
  decisionScenarios,
  interruptionScenarios,
  threadScenarios,
} from '../scenarios/threads/threads.ts'

threadScenarios('in-process')
interruptionScenarios('in-process')
decisionScenarios('in-process')
