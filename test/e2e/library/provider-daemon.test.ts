import { providerScenarios } from '../../scenarios/provider/provider.ts'

providerScenarios('fake', 'daemon')
