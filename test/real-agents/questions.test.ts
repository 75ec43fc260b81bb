import { REAL_VERSIONS } from '../scenarios/harness/program.ts'
import { askingDaemonScenarios } from '../scenarios/threads/asking-daemon.ts'

for (const version of REAL_VERSIONS) askingDaemonScenarios(version)
