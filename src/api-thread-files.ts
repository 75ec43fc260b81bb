// What users say and see of threads that leave and enter as one file; part of api.ts.

import type { ThreadImport } from './core/conversation/thread.ts'
import type { ReplayedSession } from './core/import-words.ts'
import type { Optional } from './core/optional.ts'
import type { Trust } from './core/run/trust.ts'

/** What goes into a thread file. */
export type ExportOptions = Optional<{
  /** With the agents' own session files (default). They hold what agents read and printed, unredacted. */
  readonly sessions: boolean
  /** With the checkpoints of its job or its repository (default). They hold files, which may hold secrets. */
  readonly checkpoints: boolean
  /** Only the checkpoints of its job, as a git bundle: `git fetch FILE 'refs/reprise/*:refs/reprise/*'` reads it. */
  readonly only: 'checkpoints'
}>

/** A thread as a file. */
export type ExportedThread = {
  readonly threadId: string
  /** The size of the file. */
  readonly bytes: number
  readonly content: AsyncIterable<Uint8Array>
}

/** How a thread file comes in. */
export type ImportOptions = Optional<{
  /** Where the thread goes on. A thread of a repository keeps its repository and needs none. */
  readonly workDir: string
  /** The public key of somebody whose files need no approval. A file that another key has signed is refused. */
  readonly trustKey: string
  /** With the agents' own session files (default); without them, the next turn brings only what the thread shows. */
  readonly sessions: boolean
  /** Whose settings take part in its turns, unless a turn says otherwise. */
  readonly trust: Trust
}>

/** A thread that came in. */
export type ImportedThread = {
  readonly threadId: string
  /** False: the same file came in before, and this is its thread. */
  readonly isNew: boolean
  readonly imported: ThreadImport
  /** Of its current branch. */
  readonly messages: number
  readonly runs: number
  /** How many sessions came with it. */
  readonly sessions: number
  /** Sessions that cannot be resumed here, and why: the next turn brings the conversation itself. Empty when the file came in before. */
  readonly replayed: readonly ReplayedSession[]
}
