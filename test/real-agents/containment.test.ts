import { NEWEST } from '../scenarios/harness/program.ts'
import { containmentScenarios } from '../scenarios/threads/containment.ts'

containmentScenarios(NEWEST)
