// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { describe } from 'vitest'
import { useHarness } from '../../scenarios/threads/threads.ts'
import { writtenSessionScenarios } from '../../scenarios/threads/written-sessions.ts'

describe('written sessions on 2.1.197', () => writtenSessionScenarios(useHarness('2.1.197')))
