import { askingDaemonScenarios } from '../scenarios/asking-daemon.ts'

askingDaemonScenarios('fake')
