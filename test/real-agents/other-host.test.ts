import { describe } from 'vitest'
import { storeOnPostgres } from '../postgres/chosen-store.ts'
import { otherHostScenarios } from '../scenarios/threads/other-host.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

describe('another machine on 2.1.325', () =>
  otherHostScenarios(useHarness('2.1.325', { store: storeOnPostgres })))
