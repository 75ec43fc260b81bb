import { jobDaemonScenarios } from '../scenarios/job-daemon.ts'
import { REAL_VERSIONS } from '../scenarios/program.ts'

for (const version of REAL_VERSIONS) jobDaemonScenarios(version)
