// Tests that every store of pieces must pass, so that the vault keeps its promises on it.
import type { VaultCase, VaultWorld } from './vault-conformance/case.ts'
import { COPY_CASES } from './vault-conformance/copy-cases.ts'
import { OBJECT_CASES } from './vault-conformance/object-cases.ts'
import { SWEEP_CASES } from './vault-conformance/sweep-cases.ts'

/** The tests of `vaultConformance`, for other test runners. */
export const VAULT_CASES: readonly VaultCase[] = [...COPY_CASES, ...OBJECT_CASES, ...SWEEP_CASES]

/** Defines the tests that every store of pieces must pass. `open` gives an empty one each time. Await it: it loads vitest. */
export async function vaultConformance(
  name: string,
  open: () => Promise<VaultWorld>,
): Promise<void> {
  const { describe, test } = await import('vitest')
  describe(`vault: ${name}`, () => {
    for (const { title, check } of VAULT_CASES) {
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
