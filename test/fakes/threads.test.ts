import { threadScenarios } from '../scenarios/threads.ts'

threadScenarios('fake')
threadScenarios('fake 2.1.197')
