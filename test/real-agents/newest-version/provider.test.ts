// All scenarios through a daemon are in test/e2e/library/provider-daemon.test.ts, on the fake agent: no agent notices the daemon.
// `npm test` runs these on the fake agent inside the process (test/simulated); `npm run test:storms` runs them on a real one.
import { NEWEST } from '../../scenarios/harness/program.ts'
import {
  agentProviderScenarios,
  decidedProviderScenarios,
} from '../../scenarios/provider/provider.ts'

agentProviderScenarios(NEWEST)
agentProviderScenarios(NEWEST, 'sdk')
agentProviderScenarios(NEWEST, 'daemon')
decidedProviderScenarios(NEWEST)
