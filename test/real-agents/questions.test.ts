import { askingDaemonScenarios } from '../scenarios/asking-daemon.ts'
import { REAL_VERSIONS } from '../scenarios/program.ts'

for (const version of REAL_VERSIONS) askingDaemonScenarios(version)
