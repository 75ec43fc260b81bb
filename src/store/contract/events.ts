// What a store does for the events of runs.

import type {
  NewEvent,
  StoredChange,
  StoredEvent,
  StoredFeedEvent,
} from '../../core/run/stored-events.ts'
import type { Lease } from './leases.ts'

export type EventVerbs = {
  appendEvents(lease: Lease, runId: string, events: readonly NewEvent[]): Promise<void>
  events(runId: string, afterSeq: number, limit: number): Promise<readonly StoredEvent[]>
  /** Events of all runs after a position. */
  feed(after: number, limit: number): Promise<readonly StoredFeedEvent[]>
  /** What changed after a position among changes: each thread, chain, job and schedule once. */
  changes(after: number, limit: number): Promise<readonly StoredChange[]>
  /** Position of the latest change; 0 when there is none. */
  lastChange(): Promise<number>
  /** The position before the first change at this time or later. */
  changeBefore(at: number): Promise<number>
  /** Position of the latest event; 0 when there is none. */
  lastPosition(): Promise<number>
  /** Runs with events after a position, each with the position of its latest. */
  changedRuns(
    after: number,
  ): Promise<readonly { readonly runId: string; readonly position: number }[]>
}
