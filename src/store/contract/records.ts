// What is stored of threads and turns, as the verbs of the store take and give it.
import type { Message, View } from '../../core/conversation/messages.ts'
import type { Run, TurnLimits } from '../../core/run/run.ts'
import type { SandboxMode } from '../../core/run/sandbox.ts'
import type { Trust } from '../../core/run/trust.ts'
import type { Owner } from './owner.ts'

/** Whose conversation a thread is: a person's, or that of the tiers of a chain or the attempts of a job. */
export type ThreadKind = 'chat' | 'chain' | 'job'

export type ThreadRecord = {
  readonly id: string
  readonly kind: ThreadKind
  readonly title: string | null
  readonly agent: string
  readonly workDir: string
  readonly view: View
  readonly forkedFrom: string | null
  /** For the system prompt of its turns, until a turn brings others; `null`: none. */
  readonly instructions: string | null
  /** What its turns have unless they say otherwise; `null`: as its agent is configured. */
  readonly trust: Trust | null
  readonly sandbox: SandboxMode | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** In a list: without the instructions, which may be long. */
export type ThreadSummary = Omit<ThreadRecord, 'instructions'> & {
  readonly turnCount: number
  readonly costUsd: number
  readonly lastRun: Run | null
}

/** Another list of messages in place of the branch, as long as that still is `expected`. */
export type BranchChange = {
  readonly threadId: string
  readonly branchId: string
  readonly expected: readonly string[]
  readonly messages: readonly Message[]
}

export type NewTurn = {
  readonly run: Pick<
    Run,
    | 'id'
    | 'agent'
    | 'model'
    | 'threadId'
    | 'workDir'
    | 'permissionMode'
    | 'allowedTools'
    | 'disallowedTools'
    | 'trust'
    | 'sandboxWanted'
    | 'freshSession'
    | 'questions'
  > &
    Partial<Pick<Run, 'chainId' | 'tier' | 'parentRunId' | 'attempt'>>
  /** The job it is an attempt of. */
  readonly job?: { readonly id: string; readonly attempt: number }
  readonly message: Message
  readonly owner: Owner
  /** The thread's from now on; an empty text clears them. Left out: those that the thread has. Kept with the run too. */
  readonly instructions?: string
  readonly limits?: TurnLimits
  /** What the thread has from now on. */
  readonly thread?: Pick<ThreadRecord, 'title' | 'agent' | 'workDir'>
  /** The branch that the turn goes on from, when it is not the thread's own (retry). */
  readonly branch?: BranchChange
  readonly key?: RequestKey
}

/** A request that must not be done twice. */
export type RequestKey = {
  readonly key: string
  /** Fingerprint of what is asked for: the same key with another one is a `conflict`. */
  readonly request: string
  /** Kept with the key and given back to whoever asks again. */
  readonly note: string
}

/** An event of a run as stored: `seq` counts from 1 without gaps. */
export type StoredEvent = {
  readonly runId: string
  readonly seq: number
  readonly at: number
  readonly type: string
  /** The whole event as JSON text. */
  readonly json: string
}

export type NewEvent = Pick<StoredEvent, 'at' | 'type' | 'json'>

/** An event with its place among all events; positions grow in the order of the commits, with gaps. */
export type FeedEvent = StoredEvent & {
  readonly position: number
  readonly threadId: string | null
}
