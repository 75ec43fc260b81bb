// `npm test` runs these on the fake agent inside the process (test/simulated); `npm run test:storms` runs them on a real one.
import {
  decisionScenarios,
  escalationDecisionScenarios,
  transcriptSampleScenarios,
  variantScenarios,
} from '../../scenarios/threads/threads.ts'

variantScenarios('2.1.325')
decisionScenarios('2.1.325')
transcriptSampleScenarios('2.1.325')
escalationDecisionScenarios('2.1.325')
