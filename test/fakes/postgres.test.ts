// Jobs on a store in PostgreSQL, each with a database of its own: their verbs lock most.
import { useScenariosOnPostgres } from '../scenarios/harness/scenario-store.ts'
import { jobScenarios } from '../scenarios/jobs/jobs.ts'

useScenariosOnPostgres()
jobScenarios('fake')
