import { NEWEST } from '../scenarios/harness/program.ts'
import { askingDaemonScenarios } from '../scenarios/threads/asking-daemon.ts'

askingDaemonScenarios(NEWEST)
