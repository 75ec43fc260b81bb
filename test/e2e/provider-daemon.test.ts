import { providerScenarios } from '../scenarios/provider.ts'

providerScenarios('fake', 'daemon')
