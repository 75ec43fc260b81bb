// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { jobDaemonScenarios } from '../../scenarios/jobs/job-daemon.ts'
import { askingDaemonScenarios } from '../../scenarios/threads/asking-daemon.ts'
import { containmentScenarios } from '../../scenarios/threads/containment.ts'

containmentScenarios('2.1.197')
jobDaemonScenarios('2.1.197')
askingDaemonScenarios('2.1.197')
