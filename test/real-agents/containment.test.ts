import { containmentScenarios } from '../scenarios/containment.ts'
import { REAL_VERSIONS } from '../scenarios/program.ts'

for (const version of REAL_VERSIONS) containmentScenarios(version)
