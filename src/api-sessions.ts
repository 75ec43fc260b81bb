// What users see of sessions; part of api.ts.

import type { CountedSession } from './core/conversation/session.ts'
import type { RepairedLines, SessionDamage } from './core/conversation/session-damage.ts'
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

/** What is wrong with the file of a session, and the repaired copy if one was asked for. */
export type SessionDiagnosis = {
  /** Our id of the session. */
  readonly sessionId: string
  /** What was read: the agent's own file, our copy of it because that file is gone, or nothing. */
  readonly read: 'file' | 'copy' | 'nothing'
  /** The agent's own file; `null`: it is gone. */
  readonly path: string | null
  /** Empty: the file is sound. */
  readonly found: readonly SessionDamage[]
  /** Whether a repair can make a copy that the agent continues. */
  readonly repairable: boolean
  /** `null`: no repair was asked for, or there was nothing to repair. */
  readonly repaired: RepairedSession | null
}

/** A repaired copy under an id of its own. The file that it was made from is as it was. */
export type RepairedSession = {
  /** The agent's own id of the copy. */
  readonly sessionId: string
  readonly path: string
  readonly lines: RepairedLines
  readonly proof: CopyProof
  /** Our id, when the thread goes on with the copy; `null`: the copy does not begin as the thread does. */
  readonly session: string | null
}

/** Whether the agent's own program takes a repaired copy. A copy that it refuses is removed, and the repair fails. */
export type CopyProof =
  /** A process that got no prompt resumed the copy and found its last message. It cost nothing and changed nothing. */
  | { readonly state: 'resumed'; readonly version: string }
  | { readonly state: 'not-asked'; readonly why: string }
