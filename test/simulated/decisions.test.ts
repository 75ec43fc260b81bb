// Scenarios whose outcome Reprise decides alone. `npm run test:storms` runs them on a real agent (test/real-agents/decisions).
import { decidedJobScenarios } from '../scenarios/jobs/job-decisions.ts'
import { decidedProviderScenarios } from '../scenarios/provider/provider.ts'
import { decisionScenarios, escalationDecisionScenarios } from '../scenarios/threads/threads.ts'

decisionScenarios('in-process')
escalationDecisionScenarios('in-process')
decidedJobScenarios('in-process')
decidedProviderScenarios('in-process')
