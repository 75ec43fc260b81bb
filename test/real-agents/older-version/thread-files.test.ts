// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { describe } from 'vitest'
import { threadFileScenarios } from '../../scenarios/threads/thread-files.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

describe('thread files on 2.1.197', () => threadFileScenarios(useHarness('2.1.197')))
