// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { describe } from 'vitest'
import { useHarness } from '../../scenarios/threads/threads.ts'
import { trustScenarios } from '../../scenarios/threads/trust.ts'
import { windowScenarios } from '../../scenarios/threads/windows.ts'

describe('trust on 2.1.197', () => trustScenarios(useHarness('2.1.197'), '2.1.197'))
describe('windows on 2.1.197', () => windowScenarios(useHarness('2.1.197'), '2.1.197'))
