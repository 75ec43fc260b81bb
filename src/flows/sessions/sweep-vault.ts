// Cleans the vault while a process that keeps the queue is open: copies whose session is gone, and what is too much.
import type { VaultSettings } from '../../core/conversation/vault-settings.ts'
import type { VaultSwept } from '../../vault/sweep.ts'
import type { Dependencies } from '../dependencies.ts'

/** Removed threads take their copies along at once. This finds what a process that died has left. */
const EVERY_MS = 3_600_000

export async function sweepVaultWhileOpen(
  dependencies: Dependencies,
  settings: VaultSettings,
): Promise<void> {
  const { live, clock } = dependencies
  while (!live.closing.aborted) {
    await sweepVault(dependencies, settings).catch(() => {
      // The store or the disk cannot be written right now; the next sweep tries again.
    })
    await clock.sleep(EVERY_MS, live.closing)
  }
}

function sweepVault(
  { vault, store, clock }: Dependencies,
  { maxBytes }: VaultSettings,
): Promise<VaultSwept> {
  const { withoutOwner } = store
  return vault.sweep({ withoutOwner, before: clock.now() - EVERY_MS, maxBytes })
}
