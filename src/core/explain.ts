// A decision in words, made in this one place for the CLI, the API and the dashboard.
import type { Check, Decision } from './decision.ts'

export type Explanation = {
  readonly decision: Decision
  /** One sentence. */
  readonly words: string
  /** Every guard, in order, with the fact it saw; `cause` marks the first that blocked. */
  readonly checks: readonly {
    readonly check: Check
    readonly words: string
    readonly cause: boolean
  }[]
}
