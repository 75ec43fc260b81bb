import { jobScenarios } from '../scenarios/jobs/jobs.ts'

jobScenarios('2.1.197')
