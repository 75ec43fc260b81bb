// How much the vault may hold.

/** How much the vault may hold. */
export type VaultSettings = {
  /** Of all copies of session files together, as they are stored; `null`: without limit. */
  readonly maxBytes: number | null
}

export const DEFAULT_VAULT: VaultSettings = { maxBytes: null }
