// Why a stored turn does not run yet: as a value, and in words.

/** Why a stored turn does not run yet. */
export type WaitReason =
  /** Another turn of the same thread goes first. */
  | { readonly code: 'thread-busy'; readonly runId: string }
  /** All slots are in use. */
  | { readonly code: 'no-slot'; readonly running: number; readonly max: number }

export function waitWords(reason: WaitReason): string {
  return reason.code === 'thread-busy'
    ? `waits for ${reason.runId}, which goes first on this thread`
    : `waits for a slot: ${reason.running} of ${reason.max} turns run`
}
