import { threadScenarios } from '../scenarios/threads/threads.ts'

threadScenarios('2.1.325')
