import { describe } from 'vitest'
import { REAL_VERSIONS } from '../scenarios/harness/program.ts'
import { doctoredSessionScenarios } from '../scenarios/threads/doctored-sessions.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

for (const version of REAL_VERSIONS) {
  describe(`doctored sessions on ${version}`, () => doctoredSessionScenarios(useHarness(version)))
}
