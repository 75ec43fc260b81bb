// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { agentProviderScenarios } from '../../scenarios/provider/provider.ts'

agentProviderScenarios('2.1.197')
agentProviderScenarios('2.1.197', 'sdk')
