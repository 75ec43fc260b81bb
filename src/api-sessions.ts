// What users are told of agents' sessions.

import type { CountedSession } from './core/conversation/session.ts'
import type { SessionFileState } from './core/decide/decision.ts'

export type SessionDetails = CountedSession & {
  /** The agent's own file, as it is now. */
  readonly file: SessionFileState
  /** Of that file, in our copy. */
  readonly keptBytes: number
  /** What the next turn pays for a cache that has gone cold; an estimate, `null` where it is not known. */
  readonly wakeCostUsd: number | null
}

export type ArchivedSession = CountedSession & {
  /** The directory it was put into. */
  readonly path: string
}
