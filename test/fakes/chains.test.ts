import { escalationScenarios } from '../scenarios/threads/threads.ts'

escalationScenarios('fake')
escalationScenarios('fake 2.1.197')
