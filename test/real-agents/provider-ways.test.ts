// Which scenarios run through which way, and why, is in provider.test.ts.
import { agentProviderScenarios } from '../scenarios/provider/provider.ts'

agentProviderScenarios('2.1.325', 'sdk')
agentProviderScenarios('2.1.325', 'daemon')
