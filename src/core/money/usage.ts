// What ended runs used and cost, summed by day, thread or agent.
import type { Usage } from '../run/events.ts'

/** What the runs of one day, thread or agent used together. */
export type UsageRow = {
  /** The day, the id of the thread, or the name of the agent. */
  readonly key: string
  readonly runs: number
  /** How many of the runs continued a session. */
  readonly resumed: number
  readonly usage: Usage
  readonly costUsd: number
  /** An estimate of what cold starts would have cost. */
  readonly coldCostUsd: number
  readonly savedUsd: number
}
