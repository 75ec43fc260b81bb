import { NEWEST } from '../scenarios/harness/program.ts'
import { jobDaemonScenarios } from '../scenarios/jobs/job-daemon.ts'

jobDaemonScenarios(NEWEST)
