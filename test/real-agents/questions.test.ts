import { askingDaemonScenarios } from '../scenarios/threads/asking-daemon.ts'

askingDaemonScenarios('2.1.325')
