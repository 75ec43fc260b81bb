import { escalationScenarios } from '../scenarios/threads/threads.ts'

escalationScenarios('2.1.325')
