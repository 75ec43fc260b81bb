import { jobScenarios } from '../scenarios/jobs.ts'

jobScenarios('2.1.197')
