import { jobDaemonScenarios } from '../scenarios/jobs/job-daemon.ts'
import { FAKE_KINDS } from './kinds.ts'

for (const kind of FAKE_KINDS) jobDaemonScenarios(kind)
