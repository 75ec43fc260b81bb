import { jobScenarios } from '../scenarios/jobs/jobs.ts'
import { FAKE_KINDS } from './kinds.ts'

for (const kind of FAKE_KINDS) jobScenarios(kind)
