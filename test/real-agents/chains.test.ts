import { agentChainScenarios } from '../scenarios/threads/threads.ts'

agentChainScenarios('2.1.325')
