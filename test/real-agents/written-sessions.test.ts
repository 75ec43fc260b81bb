import { describe } from 'vitest'
import { REAL_VERSIONS } from '../scenarios/harness/program.ts'
import { useHarness } from '../scenarios/threads/threads.ts'
import { writtenSessionScenarios } from '../scenarios/threads/written-sessions.ts'

for (const version of REAL_VERSIONS) {
  describe(`written sessions on ${version}`, () => writtenSessionScenarios(useHarness(version)))
}
