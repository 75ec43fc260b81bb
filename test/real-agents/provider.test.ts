// All scenarios through a daemon are in test/e2e/library/provider-daemon.test.ts, on the fake agent: no agent notices the daemon.
import { agentProviderScenarios } from '../scenarios/provider/provider.ts'

agentProviderScenarios('2.1.325', 'sdk')
