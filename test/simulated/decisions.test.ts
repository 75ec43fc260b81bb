// Scenarios on the fake agent inside the process. `npm run test:storms` runs them on a real one (test/real-agents/newest-version).
import { decidedJobScenarios } from '../scenarios/jobs/job-decisions.ts'
import { apiErrorJobScenarios } from '../scenarios/jobs/jobs.ts'
import { providerScenarios } from '../scenarios/provider/provider.ts'
import {
  decisionScenarios,
  escalationDecisionScenarios,
  transcriptScenarios,
  variantScenarios,
} from '../scenarios/threads/threads.ts'

variantScenarios('in-process')
decisionScenarios('in-process')
transcriptScenarios('in-process')
escalationDecisionScenarios('in-process')
decidedJobScenarios('in-process')
apiErrorJobScenarios('in-process')
providerScenarios('in-process')
