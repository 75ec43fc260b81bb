import { NEWEST } from '../scenarios/harness/program.ts'
import { agentChainScenarios } from '../scenarios/threads/threads.ts'

agentChainScenarios(NEWEST)
