import { describe } from 'vitest'
import { carryScenarios } from '../scenarios/chains/carry.ts'
import { REAL_VERSIONS } from '../scenarios/harness/program.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

for (const version of REAL_VERSIONS) {
  describe(`carry-over on ${version}`, () => carryScenarios(useHarness(version)))
}
