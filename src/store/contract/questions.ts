// What a store does for questions of agents.
import type { Message } from '../../core/conversation/messages.ts'
import type {
  Answer,
  AskedCall,
  Question,
  QuestionState,
} from '../../core/conversation/question.ts'
import type { QuestionPlace } from '../../core/conversation/question-list.ts'
import type { Failure, Run } from '../../core/run/run.ts'
import type { NewEvent } from '../../core/run/stored-events.ts'
import type { WaitReason } from '../../core/run/wait-reason.ts'
import type { Lease, Owner } from './leases.ts'

/** A new, open question, and until when a user may answer it. */
export type NewQuestion = Pick<
  Question,
  'toolUseId' | 'kind' | 'tool' | 'input' | 'items' | 'rule' | 'delivery' | 'askedAt' | 'expiresAt'
>

/** An answer, and the run that takes it as its prompt when the process that asked is gone. */
export type Reply = {
  readonly toolUseId: string
  readonly answer: Answer
  readonly at: number
  readonly runId: string
  readonly message: Message
  readonly owner: Owner
  /** Why that run has to wait when the thread itself is free. */
  readonly noSlot?: WaitReason
}

export type QuestionVerbs = {
  /** Records that a call waits for the user; its run becomes `waiting`. `events`: the log up to and including the question. */
  askQuestion(
    lease: Lease,
    runId: string,
    question: NewQuestion,
    events?: readonly NewEvent[],
  ): Promise<void>
  /** Oldest first; with the state of closed questions, the one that was closed last is first. */
  questions(query: {
    readonly runId?: string
    readonly toolUseId?: string
    readonly state?: QuestionState
    /** Only questions whose answer the message with this hash repeats. */
    readonly restatedIn?: string
    /** Only questions that have expired at this time. */
    readonly expiredAt?: number
    /** Only questions that follow this place in the list. */
    readonly after?: QuestionPlace
    readonly limit: number
  }): Promise<readonly Question[]>
  countQuestions(state?: QuestionState): Promise<number>
  /** The last call at which the run waited, whether or not it was a question to the user. */
  parkedCall(runId: string): Promise<AskedCall | null>
  /**
   * Throws `conflict` when the question is no longer open. If its process lives, the run goes on; else it ends, and the reply is
   * queued in its place (`continuedBy`). Gives the run that asked.
   */
  answerQuestion(runId: string, toolUseId: string, reply: Reply): Promise<Run>
  /** A live run goes on without an answer; any other run ends. False when the question was not open or not late. */
  expireQuestion(
    runId: string,
    toolUseId: string,
    late: { readonly failure: Failure; readonly at: number },
  ): Promise<boolean>
}
