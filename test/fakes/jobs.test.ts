import { jobScenarios } from '../scenarios/jobs/jobs.ts'

jobScenarios('fake')
jobScenarios('fake 2.1.197')
