// As thread-scenarios.ts, for jobs.
import { jobScenarios } from '../scenarios/jobs/jobs.ts'

jobScenarios('in-process')
