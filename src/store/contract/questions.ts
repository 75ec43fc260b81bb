// What a store does for the questions of agents.
import type { Message } from '../../core/conversation/messages.ts'
import type {
  Answer,
  AskedCall,
  Question,
  QuestionState,
} from '../../core/conversation/question.ts'
import type { Failure, Run } from '../../core/run/run.ts'
import type { WaitReason } from '../../core/run/wait-reason.ts'
import type { Lease, Owner } from './leases.ts'
import type { NewEvent } from './records.ts'

/** A question as it is asked: open, and until when it may be answered. */
export type NewQuestion = Pick<
  Question,
  'toolUseId' | 'kind' | 'tool' | 'input' | 'items' | 'delivery' | 'askedAt' | 'expiresAt'
>

/** An answer, and what goes on with it when the process that asked is gone: another run, with the reply as its prompt. */
export type Reply = {
  readonly toolUseId: string
  readonly answer: Answer
  readonly at: number
  readonly runId: string
  readonly message: Message
  readonly owner: Owner
  /** Why that run has to wait, unless the thread is busy. */
  readonly noSlot?: WaitReason
}

export type QuestionVerbs = {
  /** A call waits for the user; its run is `waiting` from now on. `events`: what its log says up to and with this. */
  askQuestion(
    lease: Lease,
    runId: string,
    question: NewQuestion,
    events?: readonly NewEvent[],
  ): Promise<void>
  questions(query: {
    readonly runId?: string
    readonly toolUseId?: string
    readonly state?: QuestionState
    /** Only those whose answer the message with this hash tells again. */
    readonly restatedIn?: string
    /** Only those that may not be answered any more at this time. */
    readonly expiredAt?: number
    readonly limit: number
  }): Promise<readonly Question[]>
  /** The last call of the run that waited for somebody, whether or not it was a question to the user. */
  parkedCall(runId: string): Promise<AskedCall | null>
  /**
   * `conflict` when it is not open any more. Over a live process the run goes on; else it ends, and the reply is
   * queued in its place (`continuedBy`). Gives the run that asked.
   */
  answerQuestion(runId: string, toolUseId: string, reply: Reply): Promise<Run>
  /** A live run goes on without an answer; else it ends. False when it was not open, or not late. */
  expireQuestion(
    runId: string,
    toolUseId: string,
    late: { readonly failure: Failure; readonly at: number },
  ): Promise<boolean>
}
