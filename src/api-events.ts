// What the daemon reads of the log: events as they are stored, passed on without being parsed.
import type { Run } from './core/run/run.ts'
import type { EventPlace } from './core/run/run-events.ts'
import type { StoredChange, StoredEvent, StoredFeedEvent } from './core/run/stored-events.ts'

/** The log of all runs, as it is stored. */
export type StoredLog = {
  /** Events of a run after a `seq`. Throws `not-found`. */
  ofRun(runId: string, after: number, limit: number): Promise<readonly StoredEvent[]>
  /** Like `runs.follow`. */
  followRun(runId: string, after: number, signal: AbortSignal): AsyncIterable<StoredEvent>
  /** Like `turns.follow`. */
  followTurn(place: EventPlace, signal: AbortSignal): AsyncIterable<StoredEvent>
  /** Like `jobs.follow`; `null`: from the first attempt on. */
  followJob(
    jobId: string,
    after: EventPlace | null,
    signal: AbortSignal,
  ): AsyncIterable<StoredEvent>
  /** The runs of a job in order, and whether no more will come. Throws `not-found`. */
  runsOfJob(jobId: string): Promise<{ readonly runs: readonly Run[]; readonly isOver: boolean }>
  /** Events of all runs after a position, also those of other processes. */
  ofAll(after: number, limit: number): Promise<readonly StoredFeedEvent[]>
  /** The same as they come, with the changes of threads, chains and jobs. */
  followAll(
    after: { readonly position: number; readonly change: number },
    signal: AbortSignal,
  ): AsyncIterable<StoredFeedEvent | StoredChange>
  /** The position of the latest change; 0 when there is none. */
  lastChange(): Promise<number>
  /** A position among changes before all that a reader of events up to `position` may have missed. */
  changeBefore(position: number): Promise<number>
  /** The position of the latest event; 0 when there is none. */
  lastPosition(): Promise<number>
}
