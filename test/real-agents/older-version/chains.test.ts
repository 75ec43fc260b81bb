// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { agentChainScenarios } from '../../scenarios/threads/threads.ts'

agentChainScenarios('2.1.197')
