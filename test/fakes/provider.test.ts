import { providerScenarios } from '../scenarios/provider.ts'

providerScenarios('fake')
providerScenarios('fake 2.1.197')
