// `npm test` runs these on the fake agent inside the process (test/simulated); `npm run test:storms` runs them on a real one.
import { NEWEST } from '../../scenarios/harness/program.ts'
import { decidedJobScenarios } from '../../scenarios/jobs/job-decisions.ts'
import { apiErrorJobScenarios } from '../../scenarios/jobs/jobs.ts'

decidedJobScenarios(NEWEST)
apiErrorJobScenarios(NEWEST)
