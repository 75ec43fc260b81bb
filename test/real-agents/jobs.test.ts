import { agentJobScenarios } from '../scenarios/jobs/jobs.ts'

agentJobScenarios('2.1.325')
