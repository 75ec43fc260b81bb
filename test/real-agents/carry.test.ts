import { describe } from 'vitest'
import { carryScenarios } from '../scenarios/chains/carry.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

describe('carry-over on 2.1.325', () => carryScenarios(useHarness('2.1.325')))
