// As thread-scenarios.ts, for chains.
import { escalationScenarios } from '../scenarios/threads/threads.ts'

escalationScenarios('in-process')
