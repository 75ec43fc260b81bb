// Runs the engine contract on any engine, under vitest.
import type { EngineWorld } from './engine-conformance/case.ts'
import { ENGINE_CASES } from './engine-conformance/cases.ts'

/** Defines the tests that every engine must pass. Await it: it loads vitest. */
export async function engineConformance(
  name: string,
  open: () => Promise<EngineWorld>,
): Promise<void> {
  const { describe, test } = await import('vitest')
  describe(`engine contract: ${name}`, () => {
    for (const { title, check } of ENGINE_CASES) {
      test(title, async () => {
        const world = await open()
        try {
          await check(world)
        } finally {
          await world.close()
        }
      })
    }
  })
}
