// As thread-scenarios.ts, for programs that embed an agent.
import { providerScenarios } from '../scenarios/provider/provider.ts'

providerScenarios('in-process')
