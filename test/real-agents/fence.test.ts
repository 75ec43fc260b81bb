import { fenceScenarios } from '../scenarios/chains/fence.ts'
import { NEWEST } from '../scenarios/harness/program.ts'

fenceScenarios(NEWEST)
