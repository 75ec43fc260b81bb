// What a store does for sessions: announced, confirmed, moved, and aged.
import type {
  LifecycleState,
  RetiredBecause,
  Seen,
  Session,
} from '../../core/conversation/session.ts'
import type { Lease } from './leases.ts'

export type NewSession = Pick<
  Session,
  | 'id'
  | 'sessionId'
  | 'threadId'
  | 'agent'
  | 'workDir'
  | 'model'
  | 'runtime'
  | 'forkedFrom'
  | 'instructionsHash'
  | 'knownEnd'
  /** For a fork: what it inherits. */
  | 'seen'
>

/** How a run leaves its session. Only the named fields change: a field that is absent never overwrites a stored one. */
export type SessionChange = {
  readonly id: string
  /** Messages it has been shown and has said in this run, appended to `seen`. */
  readonly seen: readonly Seen[]
  /** The agent's id of the last message that this accounts for; `null`: as before. */
  readonly knownEnd: string | null
  /** Set when the agent's own file proved that a turn was persisted. */
  readonly confirm: boolean
  readonly retire: RetiredBecause | null
  readonly fruitless: 'count' | 'reset' | 'keep'
  readonly failed: 'count' | 'reset' | 'keep'
  readonly runtime: string
  readonly model: string | null
  readonly instructionsHash: string | null
  readonly contextTokens: number | null
  readonly contextWindow: number | null
  readonly reportedCostUsd: number | null
  readonly lastStopReason: string | null
}

export type SessionVerbs = {
  /** Stores the session id as soon as the agent names it. Creates the session when the agent chose the id itself. */
  announceSession(lease: Lease, runId: string, session: NewSession): Promise<void>
  /**
   * A session that the agent has saved without us, and what it has seen by the word of whoever brings it: confirmed at once.
   * False when it is known already.
   */
  adoptSession(session: NewSession, contextTokens: number | null, now: number): Promise<boolean>
  /** The session file was copied to another work dir, from which it will be continued. */
  moveSession(lease: Lease, id: string, workDir: string): Promise<void>
  sessions(query: {
    readonly threadId?: string
    readonly agent?: string
    readonly sessionId?: string
  }): Promise<readonly Session[]>
  session(id: string): Promise<Session | null>
  /** Newest first; `cursor` is the id of the last item. */
  listSessions(query: {
    readonly threadId?: string
    readonly agent?: string
    readonly cursor?: string
    readonly limit: number
  }): Promise<readonly Session[]>
  /** Run that holds each of these sessions (our ids) now. */
  sessionHolders(sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export type LifecycleVerbs = {
  /** By time and by jobs that are over. Sessions that somebody runs on are left alone. Gives how many changed. */
  sweepSessions(times: {
    readonly pauseBefore: number
    /** `null`: nothing expires. */
    readonly expireBefore: number | null
  }): Promise<{ readonly paused: number; readonly completed: number; readonly expired: number }>
  /** Oldest first. */
  sessionsIn(state: LifecycleState, limit: number): Promise<readonly Session[]>
  /** False when it is in another state by now. */
  setSessionState(id: string, from: LifecycleState, to: LifecycleState): Promise<boolean>
}
