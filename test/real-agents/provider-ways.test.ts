// Which scenarios run through which way, and why, is in provider.test.ts.
import { REAL_VERSIONS } from '../scenarios/harness/program.ts'
import { agentProviderScenarios } from '../scenarios/provider/provider.ts'

for (const version of REAL_VERSIONS) agentProviderScenarios(version, 'sdk')
agentProviderScenarios('2.1.325', 'daemon')
