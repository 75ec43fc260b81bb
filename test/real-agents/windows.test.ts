import { describe } from 'vitest'
import { REAL_VERSIONS } from '../scenarios/program.ts'
import { useHarness } from '../scenarios/threads.ts'
import { windowScenarios } from '../scenarios/windows.ts'

for (const version of REAL_VERSIONS) {
  describe(`windows on ${version}`, () => windowScenarios(useHarness(version), version))
}
