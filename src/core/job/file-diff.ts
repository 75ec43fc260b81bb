// How a file differs between two states of a work dir.

export type FileDiff = {
  readonly path: string
  readonly status: 'added' | 'changed' | 'removed'
  /** Lines; `null` for a binary file, or one that is too large to compare. */
  readonly added: number | null
  readonly removed: number | null
  /** A unified diff; `null` for a binary file, or when it is too long. */
  readonly patch: string | null
}

export type TreeDiff = {
  readonly files: readonly FileDiff[]
  /** Files or patches were left out, because there are too many or they are too long. */
  readonly truncated: boolean
}
