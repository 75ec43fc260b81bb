// Only `npm run test:storms` runs these: each takes long, and `npm test` has its like on the fake agent.
import { describe } from 'vitest'
import { NEWEST } from '../../scenarios/harness/program.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'
import { windowScenarios } from '../../scenarios/threads/windows.ts'

describe(`windows on ${NEWEST}`, () => windowScenarios(useHarness(NEWEST), NEWEST))
