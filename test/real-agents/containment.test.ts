import { REAL_VERSIONS } from '../scenarios/harness/program.ts'
import { containmentScenarios } from '../scenarios/threads/containment.ts'

for (const version of REAL_VERSIONS) containmentScenarios(version)
