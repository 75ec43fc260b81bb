import { jobScenarios } from '../scenarios/jobs/jobs.ts'
import { ONE_FAKE_KIND } from './kinds.ts'

jobScenarios(ONE_FAKE_KIND)
