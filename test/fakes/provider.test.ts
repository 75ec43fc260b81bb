import { providerScenarios } from '../scenarios/provider/provider.ts'

providerScenarios('fake')
providerScenarios('fake 2.1.197')
