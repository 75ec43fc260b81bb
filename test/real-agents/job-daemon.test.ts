import { jobDaemonScenarios } from '../scenarios/jobs/job-daemon.ts'

jobDaemonScenarios('2.1.325')
