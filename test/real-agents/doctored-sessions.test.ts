// `npm test` repairs a few kinds of damage for the newest version; `npm run test:storms` repairs all kinds for both.
import { describe } from 'vitest'
import { REAL_VERSIONS } from '../scenarios/harness/program.ts'
import {
  doctoredSessionScenarios,
  provenCopyScenarios,
} from '../scenarios/threads/doctored-sessions.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

const versions = process.env.REPRISE_STORM === '1' ? REAL_VERSIONS : REAL_VERSIONS.slice(-1)

for (const version of versions) {
  describe(`doctored sessions on ${version}`, () => {
    const world = useHarness(version)
    doctoredSessionScenarios(world)
    provenCopyScenarios(world)
  })
}
