import { describe } from 'vitest'
import { REAL_VERSIONS } from '../scenarios/harness/program.ts'
import { useHarness } from '../scenarios/threads/threads.ts'
import { windowScenarios } from '../scenarios/threads/windows.ts'

for (const version of REAL_VERSIONS) {
  describe(`windows on ${version}`, () => windowScenarios(useHarness(version), version))
}
