import { providerScenarios } from '../scenarios/provider/provider.ts'
import { FAKE_KINDS } from './kinds.ts'

for (const kind of FAKE_KINDS) providerScenarios(kind)
