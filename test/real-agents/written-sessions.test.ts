import { describe } from 'vitest'
import { useHarness } from '../scenarios/threads/threads.ts'
import { writtenSessionScenarios } from '../scenarios/threads/written-sessions.ts'

describe('written sessions on 2.1.325', () => writtenSessionScenarios(useHarness('2.1.325')))
