import { jobDaemonScenarios } from '../scenarios/jobs/job-daemon.ts'

jobDaemonScenarios('fake')
jobDaemonScenarios('fake 2.1.197')
