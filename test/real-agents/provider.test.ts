import { REAL_VERSIONS } from '../scenarios/program.ts'
import { providerScenarios } from '../scenarios/provider.ts'

for (const version of REAL_VERSIONS) {
  providerScenarios(version)
  providerScenarios(version, 'sdk')
  providerScenarios(version, 'daemon')
}
