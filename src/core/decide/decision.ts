// The types of a decision: its facts, its result and its reason. They are serialisable, so that a decision can be stored and repeated.
import type { CarryOver } from '../chain/carry.ts'
import type { PointerState, RetiredBecause, SessionEvidence } from '../conversation/session.ts'

/** What an agent was probed to be able to do. */
export type Abilities = {
  readonly resume: boolean
  readonly fork: boolean
  /** Can cut the history at a message while forking. */
  readonly forkAtMessage: boolean
  /** The caller may choose the id of a new session. */
  readonly chooseSessionId: boolean
  /** Finds a session from another work dir. */
  readonly resumeAcrossWorkDirs: boolean
}

/** How what a session has seen relates to the view. Numbers count messages from the start of the view. */
export type Relation =
  | { readonly kind: 'same'; readonly shared: number }
  /** The view has more: the prompt brings what follows `shared` as catch-up. */
  | { readonly kind: 'behind'; readonly shared: number }
  /** The session saw messages that the view does not have. `fork` is the last shared answer that the agent can cut at. */
  | {
      readonly kind: 'diverged'
      readonly shared: number
      readonly seen: number
      readonly fork: { readonly shared: number; readonly anchor: string } | null
      /** How many messages the session holds that we know nothing of; absent: none. */
      readonly foreign?: number
    }

/** What a session file holds after the last message we know of. */
export type ForeignPart = {
  readonly messages: number
  /** The anchor of the last answer of ours that the agent would still continue from; `null`: there is none. */
  readonly lastShared: string | null
}

/** Our copy replaced a session file. */
export type RestoredCopy = {
  /** When the copy was made; absent where that is not known. */
  readonly keptAt?: number
  /** What was wrong with the file. */
  readonly because: string
}

/** The state of the agent's own file of a session. */
export type SessionFileState =
  | {
      readonly state: 'present'
      readonly foreign?: ForeignPart
      readonly restored?: RestoredCopy
    }
  | { readonly state: 'missing'; readonly path: string }
  | { readonly state: 'damaged'; readonly path: string; readonly detail: string }
  /** The file is not usable, but we have a copy that can replace it. */
  | {
      readonly state: 'restorable'
      readonly path: string
      readonly detail: string
      /** When the copy was made; absent where that is not known. */
      readonly keptAt?: number
    }
  /** Only the agent can read it, and says when it loads the session whether it has it. */
  | { readonly state: 'unread' }
  | { readonly state: 'unknown' }

/** How a replay reaches the agent: as a session that we wrote, or as a transcript in front of the prompt. */
export type ReplayForm = {
  readonly form: 'native' | 'prompt'
  /** Why it is not `native`; absent when it is. */
  readonly formBecause?: PromptBecause
}

/** Why a replay is not a session that we wrote. */
export type PromptBecause =
  /** `resume.replay` says so. */
  | 'set'
  /** Nobody can write sessions of this agent. */
  | 'agent'
  /** Nobody has tried it with this version of the agent. */
  | 'version'
  /** The agent would go on with the model of the last answer, and that one is not known. */
  | 'model'
  /** The session could not be written. */
  | 'disk'
  /** The session that we wrote did not pass the check that a session file gets before a resume. */
  | 'unsound'
  /** The agent or its model API refused the session that we wrote. */
  | 'refused'
  /** An earlier session that we wrote for this thread and this program brought no answers. */
  | 'failed'

export type SessionFacts = {
  readonly id: string
  readonly sessionId: string
  readonly pointer: PointerState
  /** What proved that the agent saved it; absent in facts of earlier versions. */
  readonly evidence?: SessionEvidence
  readonly retiredBecause: RetiredBecause | null
  readonly workDir: string
  readonly runtime: string
  readonly lastMessageAt: number
  readonly fruitlessResumes: number
  readonly contextTokens: number | null
  readonly file: SessionFileState
  /** Who uses the session now; `null` when nobody does. */
  readonly heldBy: string | null
  readonly relation: Relation
}

/** What a run is for, where that changes how it continues. */
export type Purpose = {
  readonly kind: 'chain'
  readonly tier: number
  /** The agent of the tier below, if it is another one. */
  readonly agentBelow?: string
  /** The run begins a tier: the session of the tier below stays as it is. */
  readonly enters: boolean
  /** Sessions (the agent's ids) in which this tier has worked before. */
  readonly ownSessions?: readonly string[]
  /** Sessions (the agent's ids) of tiers more than one below. A call at which one of them waits was for the tier above it, and may have run. */
  readonly handedOver?: readonly string[]
}

/** What Reprise found out before a decision. `decide` looks at nothing else. */
export type Facts = {
  /** In milliseconds since 1970. */
  readonly gatheredAt: number
  readonly agent: string
  readonly abilities: Abilities
  /** The user asked for a fresh session. */
  readonly freshSession: boolean
  /** How many messages the agent is to be shown before the prompt. */
  readonly viewLength: number
  readonly workDir: string
  /** Fingerprint of the agent as found now. */
  readonly runtime: string
  /** The window of the model that will run; `null` when not known. */
  readonly contextWindow: number | null
  /** Every session of this thread and agent in any state; in a chain, those that the run may continue. */
  readonly sessions: readonly SessionFacts[]
  /** Absent for a turn of a thread. */
  readonly purpose?: Purpose
  /** Absent in records of earlier versions. */
  readonly replayForm?: ReplayForm
}

export const GUARDS = [
  'agent-can-resume',
  'resume-enabled',
  'fresh-not-asked',
  'prior-turn',
  'session-confirmed',
  'session-not-retired',
  'history-shared',
  'same-work-dir',
  'same-runtime',
  'session-age',
  'fruitless-resumes',
  'context-fill',
  'session-file',
  'session-free',
] as const

/** The name of a question that every decision asks. */
export type GuardName = (typeof GUARDS)[number]

/** Why a decision is not `resume`: a code with the data that proves it. */
export type Reason =
  | { readonly code: 'agent-cannot-resume'; readonly agent: string }
  | { readonly code: 'resume-off' }
  | { readonly code: 'fresh-asked' }
  | { readonly code: 'first-turn' }
  | { readonly code: 'no-session'; readonly agent: string }
  /** A tier of a chain has another agent than the tier below, and that agent has no session in the chain yet. */
  | {
      readonly code: 'tier-agent-changed'
      readonly tier: number
      readonly was: string
      readonly now: string
    }
  | { readonly code: 'session-unconfirmed'; readonly sessionId: string }
  | {
      readonly code: 'session-retired'
      readonly sessionId: string
      readonly because: RetiredBecause
    }
  | {
      readonly code: 'history-changed'
      readonly shared: number
      readonly seen: number
    }
  | { readonly code: 'foreign-turns'; readonly messages: number; readonly shared: number }
  | { readonly code: 'directory-changed'; readonly was: string; readonly now: string }
  | { readonly code: 'runtime-changed'; readonly was: string; readonly now: string }
  | { readonly code: 'session-too-old'; readonly ageMs: number; readonly maxAgeMs: number }
  | { readonly code: 'resumes-fruitless'; readonly count: number; readonly max: number }
  | {
      readonly code: 'context-full'
      readonly tokens: number
      readonly window: number
      readonly threshold: number
    }
  | { readonly code: 'file-missing'; readonly path: string }
  | { readonly code: 'file-damaged'; readonly path: string; readonly detail: string }
  | { readonly code: 'session-busy'; readonly holder: string }
  /** Every guard passed, but each tier of a chain has a session of its own. */
  | { readonly code: 'tier-entered'; readonly tier: number }
  /** A program that called the agent through Reprise wanted it so. */
  | { readonly code: 'caller-asked' }
  /** The session itself does not go on, because of `carry`: a copy with long outputs cut does, or a new session with a note. */
  | { readonly code: 'carried-over'; readonly way: 'trimmed' | 'note' }
  | { readonly code: 'fact-unknown'; readonly guard: GuardName; readonly question: string }
  /** Only at run time: every guard passed, and the agent refused the session. */
  | { readonly code: 'resume-refused'; readonly sessionId: string; readonly detail: string }

/** What one guard answered. */
export type Check = { readonly guard: GuardName } & (
  | { readonly result: 'pass'; readonly saw: string }
  | { readonly result: 'block'; readonly reason: Reason }
  | { readonly result: 'unknown'; readonly question: string }
)

type Checked = { readonly checks: readonly Check[] }
type SessionRef = { readonly id: string; readonly sessionId: string }

/**
 * How a run continues. `catchUpFrom` is the index of the first message of the view that the session has not seen; it
 * is the length of the view when the session has seen all.
 */
export type Decision = Checked &
  (
    | { readonly action: 'resume'; readonly session: SessionRef; readonly catchUpFrom: number }
    | {
        readonly action: 'fork'
        readonly session: SessionRef
        /** The agent's own id of the last message to keep; `null`: all of them. */
        readonly at: string | null
        readonly catchUpFrom: number
        readonly reason: Reason
        /** How the run gets the conversation; absent: nobody chose, so it is whole. */
        readonly carry?: CarryOver
      }
    | ({
        readonly action: 'replay'
        readonly reason: Reason
        /** Of a session that we write: which of its outputs are cut; absent: none. */
        readonly carry?: CarryOver
      } & Partial<ReplayForm>)
    | { readonly action: 'handover'; readonly reason: Reason; readonly carry?: CarryOver }
    | { readonly action: 'start'; readonly reason: Reason }
    | { readonly action: 'wait'; readonly reason: Reason }
  )
