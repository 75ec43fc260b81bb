// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { describe } from 'vitest'
import { carryScenarios } from '../../scenarios/chains/carry.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

describe('carry-over on 2.1.197', () => carryScenarios(useHarness('2.1.197')))
