import { threadScenarios } from '../scenarios/threads.ts'

threadScenarios('2.1.325')
