// `npm test` runs these on the fake agent inside the process (test/simulated); `npm run test:storms` runs them on a real one.
import { NEWEST } from '../../scenarios/harness/program.ts'
import {
  decisionScenarios,
  escalationDecisionScenarios,
  transcriptSampleScenarios,
  variantScenarios,
} from '../../scenarios/threads/threads.ts'

variantScenarios(NEWEST)
decisionScenarios(NEWEST)
transcriptSampleScenarios(NEWEST)
escalationDecisionScenarios(NEWEST)
