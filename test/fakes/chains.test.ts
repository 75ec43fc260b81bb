import { escalationScenarios } from '../scenarios/threads/threads.ts'
import { ONE_FAKE_KIND } from './kinds.ts'

escalationScenarios(ONE_FAKE_KIND)
