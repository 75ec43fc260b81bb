// Who holds a lease, or work.

/** A process that may hold leases. On the same host it is dead when its pid is gone or has another start time. */
export type Owner = {
  readonly host: string
  readonly pid: number
  readonly startTime: string
  /** What it has queued waits for its follower when it dies: a turn that was acknowledged runs. */
  readonly keepsQueue?: true
}
