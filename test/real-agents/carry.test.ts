import { describe } from 'vitest'
import { carryScenarios } from '../scenarios/chains/carry.ts'
import { NEWEST } from '../scenarios/harness/program.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

describe(`carry-over on ${NEWEST}`, () => carryScenarios(useHarness(NEWEST)))
