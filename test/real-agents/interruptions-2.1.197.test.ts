import { interruptionScenarios } from '../scenarios/threads.ts'

interruptionScenarios('2.1.197')
