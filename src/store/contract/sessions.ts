// What a store does for sessions: announced, confirmed, moved, and aged.
import type {
  LifecycleState,
  RetiredBecause,
  Seen,
  Session,
  SessionEvidence,
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
  /** What a fork inherits. */
  | 'seen'
>

/** How a run changes its session. Only the named fields change: an absent field never overwrites a stored one. */
export type SessionChange = {
  readonly id: string
  /** Messages that the session got and said in this run; appended to `seen`. */
  readonly seen: readonly Seen[]
  /** The agent's id of the last message that `seen` covers; `null`: unchanged. */
  readonly knownEnd: string | null
  /** What proved that a turn was persisted: the session is then confirmed. `null`: nothing did. */
  readonly evidence: SessionEvidence | null
  readonly retire: RetiredBecause | null
  readonly fruitless: 'count' | 'reset' | 'keep'
  readonly failed: 'count' | 'reset' | 'keep'
  readonly runtime: string
  /** `null`: the session has none, also where it had one. */
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
   * Takes over a session that the agent saved without Reprise; the caller says what it has seen. It is confirmed at once.
   * False when the store knows it already.
   */
  adoptSession(session: NewSession, contextTokens: number | null, now: number): Promise<boolean>
  /** Records that the session file was copied to another work dir, from which it will be continued. */
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
    /** Only sessions that were used at this time or later. */
    readonly since?: number
    readonly cursor?: string
    readonly limit: number
  }): Promise<readonly Session[]>
  /** The run that holds each of these sessions (our ids) now. */
  sessionHolders(sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export type SessionStateVerbs = {
  /** Ages sessions by time, and when their job is over. Leaves sessions alone that a run holds. Gives how many changed. */
  sweepSessions(times: {
    readonly pauseBefore: number
    /** `null`: nothing expires. */
    readonly expireBefore: number | null
  }): Promise<{ readonly paused: number; readonly completed: number; readonly expired: number }>
  /** Oldest first. */
  sessionsIn(state: LifecycleState, limit: number): Promise<readonly Session[]>
  /** False when the session is no longer in state `from`. */
  setSessionState(id: string, from: LifecycleState, to: LifecycleState): Promise<boolean>
}
