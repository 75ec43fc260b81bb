import { escalationScenarios, threadScenarios } from '../scenarios/threads.ts'

threadScenarios('2.1.197')
escalationScenarios('2.1.197')
