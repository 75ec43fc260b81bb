// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { agentJobScenarios, apiErrorJobScenarios } from '../../scenarios/jobs/jobs.ts'

agentJobScenarios('2.1.197')
apiErrorJobScenarios('2.1.197')
