import { describe } from 'vitest'
import { storeOnPostgres } from '../../postgres/chosen-store.ts'
import { lostHostScenarios, otherHostScenarios } from '../../scenarios/threads/other-host.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

for (const kind of ['fake', 'fake 2.1.197'] as const) {
  describe(`another machine on ${kind}`, () => {
    const world = useHarness(kind, { store: storeOnPostgres })
    otherHostScenarios(world)
    lostHostScenarios(world)
  })
}
