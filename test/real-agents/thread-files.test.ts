import { describe } from 'vitest'
import { NEWEST } from '../scenarios/harness/program.ts'
import { threadFileScenarios } from '../scenarios/threads/thread-files.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

describe(`thread files on ${NEWEST}`, () => threadFileScenarios(useHarness(NEWEST)))
