// Only `npm run test:storms` runs these: each takes long, and `npm test` has its like on the fake agent.
import { describe } from 'vitest'
import { useHarness } from '../../scenarios/threads/threads.ts'
import { windowScenarios } from '../../scenarios/threads/windows.ts'

describe('windows on 2.1.325', () => windowScenarios(useHarness('2.1.325'), '2.1.325'))
