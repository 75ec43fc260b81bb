// The newest version runs every scenario; the other one, and each other way to an agent, those that depend on it. All
// scenarios through a daemon are in test/e2e/library/provider-daemon.test.ts, on the fake agent: no agent notices the daemon.
import { agentProviderScenarios, providerScenarios } from '../scenarios/provider/provider.ts'

providerScenarios('2.1.325')
agentProviderScenarios('2.1.197')
