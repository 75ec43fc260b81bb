import { NEWEST } from '../scenarios/harness/program.ts'
import { agentJobScenarios } from '../scenarios/jobs/jobs.ts'

agentJobScenarios(NEWEST)
