import { describe } from 'vitest'
import { useHarness } from '../scenarios/threads/threads.ts'
import { windowScenarios } from '../scenarios/threads/windows.ts'

describe('windows on 2.1.325', () => windowScenarios(useHarness('2.1.325'), '2.1.325'))
