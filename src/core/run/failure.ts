// Why a run did not do what it was asked for.

/** The kind of a failure. It decides whether a job tries again. */
export type FailureClass =
  | 'resume-refused'
  | 'anchor-missing'
  /** No session could be continued, and the work must not begin again because tools have run. */
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

/** Failures for which the session itself is to blame, not the network, the account or the user. */
export const SESSION_FAULTS: readonly FailureClass[] = [
  'resume-refused',
  'agent-crashed',
  'no-result',
  'no-first-event',
  'bad-request',
  'too-long',
  'unknown',
]

/** Failures of the account, the network or the model API: the work can go on when they are over. */
export const OUTSIDE_FAULTS: readonly FailureClass[] = [
  'auth',
  'credit',
  'usage-limit',
  'rate-limit',
  'overload',
  'network',
  'server-error',
]

/** Why a run did not do what it was asked for. */
export type Failure = {
  readonly class: FailureClass
  readonly message: string
  /** What the user can do about it. */
  readonly hint: string
  /** How many tool calls ran. If any ran, Reprise repeats nothing by itself. */
  readonly toolsRan: number
  /** When a usage limit ends, in milliseconds since 1970, where the agent said so. */
  readonly resetsAt: number | null
}
