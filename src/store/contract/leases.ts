// The right to run on a thread, and the process that holds it.

/** A process that may hold leases. On the same host it is dead when its pid is gone or has another start time. */
export type Owner = {
  readonly host: string
  readonly pid: number
  readonly startTime: string
  /** When this process dies, its queued turns wait for its successor, so that acknowledged turns run. */
  readonly keepsQueue?: true
}

/** The right to run on a thread. `token` fences: every write of the holder carries it. */
export type Lease = {
  readonly threadId: string
  readonly token: number
  readonly owner: Owner
}

export type LeaseVerbs = {
  /** Throws `lease-lost`. Gives whether somebody asked to cancel the run that holds the lease now. */
  renewLease(lease: Lease, leaseMs: number): Promise<{ readonly cancelRequested: boolean }>
  releaseLease(lease: Lease): Promise<void>
}
