import { describe } from 'vitest'
import { NEWEST } from '../scenarios/harness/program.ts'
import { useHarness } from '../scenarios/threads/threads.ts'
import { writtenSessionScenarios } from '../scenarios/threads/written-sessions.ts'

describe(`written sessions on ${NEWEST}`, () => writtenSessionScenarios(useHarness(NEWEST)))
