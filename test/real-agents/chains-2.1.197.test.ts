import { escalationScenarios } from '../scenarios/threads.ts'

escalationScenarios('2.1.197')
