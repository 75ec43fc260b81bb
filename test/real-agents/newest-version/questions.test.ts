// `npm test` runs these without the Agent SDK; `npm run test:storms` runs them through it.
import { describe } from 'vitest'
import { NEWEST } from '../../scenarios/harness/program.ts'
import { questionScenarios } from '../../scenarios/threads/questions.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

describe('questions through the Agent SDK', () =>
  questionScenarios(useHarness(NEWEST, { transport: 'sdk' })))
