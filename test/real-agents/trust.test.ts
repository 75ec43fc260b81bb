import { describe } from 'vitest'
import { useHarness } from '../scenarios/threads/threads.ts'
import { trustScenarios } from '../scenarios/threads/trust.ts'

describe('trust on 2.1.325', () => trustScenarios(useHarness('2.1.325'), '2.1.325'))
