// A session is the agent's own conversation. Reprise stores a pointer to it and the messages that it has seen.

/** One message the session was shown or said, in order. */
export type Seen = {
  /** The hash of the message. */
  readonly hash: string
  /** The agent's own id of its answer, at which a fork can cut; `null` for prompts and where none is known. */
  readonly anchor: string | null
  /** The answer was interrupted and the session holds only a part of it. It counts while the message is on the branch. */
  readonly isPart: boolean
}

/** What Reprise knows of a session, to compare it with the session's file. */
export type KnownPart = {
  /** The anchors of its answers, in order. */
  readonly anchors: readonly string[]
  /** The agent's own id of the last message that `seen` accounts for; `null`: not known. */
  readonly end: string | null
}

/** `announced`: named by the agent; `confirmed`: saved by the agent; `retired`: never used again. */
export type PointerState = 'announced' | 'confirmed' | 'retired'
/**
 * What proved that the agent saved a session: its own `file` holds our prompt, it loads the session over its `protocol`, or it
 * only gave its `word`.
 */
export type SessionEvidence = 'file' | 'protocol' | 'word'

export const EVIDENCE_WORDS: Readonly<Record<SessionEvidence, string>> = {
  file: 'its own file holds what it was sent',
  protocol: 'it loads the session again',
  word: 'it says so, and nothing else proves it',
}

/** How long ago a session was used, apart from whether it may be resumed. */
export type LifecycleState = 'created' | 'active' | 'paused' | 'completed' | 'expired' | 'archived'

/** Why a session must not be used again. */
export type RetiredBecause =
  /** The agent refused to resume it. */
  | { readonly code: 'refused'; readonly detail: string }
  /** Two resumes in a row failed, whatever the agent said. */
  | { readonly code: 'failed-twice'; readonly detail: string }
  /** The agent ended without having saved anything under it. */
  | { readonly code: 'never-persisted' }
  /** It waits at a call that nobody will answer. The agent continues with that call whatever the prompt says, also in a fork. */
  | { readonly code: 'left-asking' }

/** Our pointer to a conversation that an agent keeps. */
export type Session = {
  /** Our id of the pointer. */
  readonly id: string
  /** The agent's id of its conversation. */
  readonly sessionId: string
  readonly threadId: string
  readonly agent: string
  readonly pointer: PointerState
  readonly state: LifecycleState
  readonly retiredBecause: RetiredBecause | null
  readonly confirmedAt: number | null
  /** `null` until the session is confirmed. */
  readonly evidence: SessionEvidence | null
  /** Real path of the directory in which the session was created. */
  readonly workDir: string
  /** The model of its last run; `null`: not known, or it does not exist. */
  readonly model: string | null
  /** Fingerprint of the runtime that wrote it last. */
  readonly runtime: string
  /** Our id of the session that it was forked from. */
  readonly forkedFrom: string | null
  /** The messages that the session was shown or has said, in order. */
  readonly seen: readonly Seen[]
  /** The agent's own id of the last message in its file that `seen` accounts for; Reprise did not send what follows it. */
  readonly knownEnd: string | null
  /** Hash of the instructions it was given last; `null` when it had none. */
  readonly instructionsHash: string | null
  /** Context of the last main-loop request; `null` when the agent never reported it. */
  readonly contextTokens: number | null
  /** Tokens that fit into the window of its model; `null` when not known. */
  readonly contextWindow: number | null
  /** The agent's running total as last reported, for agents that report totals of a session. */
  readonly reportedCostUsd: number
  /** Resumes in a row that left no new answer in the session. */
  readonly fruitlessResumes: number
  /** Resumes in a row that failed because of the session; two retire it. */
  readonly failedResumes: number
  readonly createdAt: number
  readonly lastMessageAt: number
  readonly turnCount: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly lastStopReason: string | null
}

/** Sessions stored before version 11 have no known end: their last answer counts as it. */
export function knownPart({ seen, knownEnd }: Pick<Session, 'seen' | 'knownEnd'>): KnownPart {
  const anchors = seen.flatMap(({ anchor }) => anchor ?? [])
  return { anchors, end: knownEnd ?? anchors.at(-1) ?? null }
}

/** The session's state as users see it. */
export type CountedSession = Session & { readonly messageCount: number }

export function withCounts(session: Session): CountedSession {
  return { ...session, messageCount: session.seen.length }
}

/** An agent that may choose its model continues a session with the model of the session. */
export function modelOfLatest(latest: readonly Session[]): string | null {
  return latest.find(({ model }) => model !== null)?.model ?? null
}
