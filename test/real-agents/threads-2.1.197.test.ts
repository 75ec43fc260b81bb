import { threadSessionScenarios } from '../scenarios/threads/threads.ts'

threadSessionScenarios('2.1.197')
