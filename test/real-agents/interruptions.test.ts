import { NEWEST } from '../scenarios/harness/program.ts'
import { interruptionScenarios } from '../scenarios/threads/threads.ts'

interruptionScenarios(NEWEST)
