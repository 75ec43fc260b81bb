import { describe } from 'vitest'
import { threadFileScenarios } from '../scenarios/threads/thread-files.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

describe('thread files on 2.1.325', () => threadFileScenarios(useHarness('2.1.325')))
