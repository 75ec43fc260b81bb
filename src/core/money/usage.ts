// What ended runs used and cost, summed by day, thread or agent.
import type { Usage } from '../run/events.ts'

export type UsageRow = {
  readonly key: string
  readonly runs: number
  readonly resumed: number
  readonly usage: Usage
  readonly costUsd: number
  readonly coldCostUsd: number
  readonly savedUsd: number
}
