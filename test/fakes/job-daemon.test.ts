import { jobDaemonScenarios } from '../scenarios/job-daemon.ts'

jobDaemonScenarios('fake')
jobDaemonScenarios('fake 2.1.197')
