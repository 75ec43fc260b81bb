// Threads that go from one machine to another as a file, on the fake agent inside the process; test/real-agents has the real ones.
import { describe } from 'vitest'
import { threadFileScenarios } from '../scenarios/threads/thread-files.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

describe('thread files', () => threadFileScenarios(useHarness('in-process')))
