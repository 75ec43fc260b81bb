// Why a run did not do what it was asked for.

export type FailureClass =
  | 'resume-refused'
  | 'anchor-missing'
  /** There was no session to go on with, and the work must not begin again: tools have run. */
  | 'not-continued'
  | 'auth'
  | 'usage-limit'
  | 'rate-limit'
  | 'overload'
  | 'network'
  | 'server-error'
  | 'bad-request'
  | 'too-long'
  | 'credit'
  | 'model-not-found'
  | 'refusal'
  | 'max-turns'
  | 'budget'
  | 'policy-violation'
  | 'spawn-failed'
  | 'agent-crashed'
  | 'no-result'
  | 'no-first-event'
  | 'silent'
  | 'too-slow'
  | 'output-limit'
  | 'cancelled'
  | 'supervisor-died'
  | 'shutdown'
  | 'unanswered'
  | 'unknown'

export type Failure = {
  readonly class: FailureClass
  readonly message: string
  readonly hint: string
  /** Tool calls that ran: over zero, nothing is repeated automatically. */
  readonly toolsRan: number
  /** When a usage limit ends, where the agent told it. */
  readonly resetsAt: number | null
}
