// What users see of sessions; part of api.ts.

import type { CountedSession } from './core/conversation/session.ts'
import type { SessionFileState } from './core/decide/decision.ts'

/** A session with the state of its file and of our copy. */
export type SessionDetails = CountedSession & {
  /** The state of the agent's own file now. */
  readonly file: SessionFileState
  /** How many bytes of that file our copy holds. */
  readonly keptBytes: number
  /** What the next turn pays for a cold cache: an estimate, `null` where it is not known. */
  readonly wakeCostUsd: number | null
}

/** A session that was written to files. */
export type ArchivedSession = CountedSession & {
  /** The directory that holds the files. */
  readonly path: string
}
