import { interruptionScenarios } from '../scenarios/threads/threads.ts'

interruptionScenarios('2.1.325')
