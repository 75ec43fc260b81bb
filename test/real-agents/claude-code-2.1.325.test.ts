import { escalationScenarios, threadScenarios } from '../scenarios/threads.ts'

threadScenarios('2.1.325')
escalationScenarios('2.1.325')
