// The newest version runs every scenario; each other way to an agent, those that depend on it. All scenarios through a daemon
// are in test/e2e/library/provider-daemon.test.ts, on the fake agent: no agent notices the daemon.
import { providerScenarios } from '../scenarios/provider/provider.ts'

providerScenarios('2.1.325')
