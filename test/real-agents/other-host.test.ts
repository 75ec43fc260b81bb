import { describe } from 'vitest'
import { storeOnPostgres } from '../postgres/chosen-store.ts'
import { NEWEST } from '../scenarios/harness/program.ts'
import { otherHostScenarios } from '../scenarios/threads/other-host.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

describe(`another machine on ${NEWEST}`, () =>
  otherHostScenarios(useHarness(NEWEST, { store: storeOnPostgres })))
