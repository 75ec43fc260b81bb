// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { jobScenarios } from '../../scenarios/jobs/jobs.ts'

jobScenarios('2.1.197')
