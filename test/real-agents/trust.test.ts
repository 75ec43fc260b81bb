import { describe } from 'vitest'
import { NEWEST } from '../scenarios/harness/program.ts'
import { useHarness } from '../scenarios/threads/threads.ts'
import { trustScenarios } from '../scenarios/threads/trust.ts'

describe(`trust on ${NEWEST}`, () => trustScenarios(useHarness(NEWEST), NEWEST))
