import { REAL_VERSIONS } from '../scenarios/harness/program.ts'
import { jobDaemonScenarios } from '../scenarios/jobs/job-daemon.ts'

for (const version of REAL_VERSIONS) jobDaemonScenarios(version)
