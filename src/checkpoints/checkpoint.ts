// A checkpoint: the state of a git work dir before or after an attempt, stored under a ref of our own.
import { REF_PREFIX } from '../core/job/checkpoint-keeping.ts'

/** Where HEAD is. Both `null` in a repository without a commit; `branch` is `null` when HEAD is detached. */
export type Head = { readonly commit: string | null; readonly branch: string | null }

export type CheckpointKind = 'before' | 'after' | 'safety'

export type Checkpoint = {
  readonly jobId: string
  /** Counts from 1 within a job. */
  readonly number: number
  readonly kind: CheckpointKind
  /** The number of its attempt; `null` for a checkpoint that was taken before a restore. */
  readonly attempt: number | null
  readonly at: number
  readonly ref: string
  readonly commit: string
  readonly tree: string
  readonly head: Head
  /** Paths whose content the checkpoint does not hold: submodules, nested repositories, large files, sockets. */
  readonly notKept: readonly string[]
}

export type Repository = {
  /** Real path of the top of the work tree. */
  readonly root: string
  readonly gitDir: string
  /** Where objects and refs are: the same as `gitDir` unless this is a linked worktree. */
  readonly commonDir: string
  readonly objectFormat: string
}

/** Why a work dir has no checkpoints. Reprise reports it once; it is never an error. */
export type NoRepository = {
  readonly code: 'no-repository' | 'bare' | 'not-trusted' | 'unusable'
  readonly detail: string
}

/** How a path differs between two checkpoints. */
export type Change = {
  readonly path: string
  readonly status: 'added' | 'changed' | 'removed'
}

/** An unfinished operation of a repository. */
export type Trouble = {
  /** Paths with unresolved conflicts, by the index. */
  readonly unmerged: readonly string[]
  /** `merge`, `rebase`, `cherry-pick`, `revert`, `am`; `null` when none is under way. */
  readonly operation: string | null
}

export const refOf = (jobId: string, number: number) => `${REF_PREFIX}/${jobId}/${number}`
