import { askingDaemonScenarios } from '../../scenarios/threads/asking-daemon.ts'

askingDaemonScenarios('fake')
