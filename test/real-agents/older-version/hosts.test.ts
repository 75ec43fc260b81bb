// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { describe } from 'vitest'
import { storeOnPostgres } from '../../postgres/chosen-store.ts'
import { hostScenarios } from '../../scenarios/hosts/hosts.ts'
import { otherHostScenarios } from '../../scenarios/threads/other-host.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

hostScenarios('2.1.197')
describe('another machine on 2.1.197', () =>
  otherHostScenarios(useHarness('2.1.197', { store: storeOnPostgres })))
