// How long work trees of repositories are kept, and how much their caches may take.

/** How long work trees of repositories are kept, and how much their caches may take. */
export type WorkspaceSettings = {
  /**
   * How long after its last use a work tree may go whose job or chain is over, and a cache that nobody borrows from;
   * `null`: for ever. The work tree of a thread that a person created stays as long as the thread.
   */
  readonly keepMs: number | null
  /** Bytes for all caches of repositories together. Those from which work trees borrow stay. */
  readonly maxBytes: number
}

export const DEFAULT_WORKSPACES: WorkspaceSettings = {
  keepMs: 7 * 24 * 3_600_000,
  maxBytes: 20 * 1024 ** 3,
}
