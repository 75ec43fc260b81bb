// Scenarios on the fake agent inside this process, for the tests of mutants: they take milliseconds instead of seconds.
import { jobScenarios } from '../scenarios/jobs/jobs.ts'
import { providerScenarios } from '../scenarios/provider/provider.ts'
import {
  decisionScenarios,
  escalationScenarios,
  interruptionScenarios,
  threadScenarios,
} from '../scenarios/threads/threads.ts'

threadScenarios('in-process')
interruptionScenarios('in-process')
decisionScenarios('in-process')
escalationScenarios('in-process')
jobScenarios('in-process')
providerScenarios('in-process')
