// Events as the store keeps them, and how a reader gets them back.
import type { EventBody, RunEvent } from './run-events.ts'

/** An event of a run as stored: `seq` counts from 1 without gaps. */
export type StoredEvent = {
  readonly runId: string
  readonly seq: number
  readonly at: number
  readonly type: string
  /** The body of the event as JSON text. */
  readonly json: string
}

/** An event that is not stored yet; the store gives it its `seq`. */
export type NewEvent = Pick<StoredEvent, 'at' | 'type' | 'json'>

/** An event with its place among all events; positions grow in the order of the commits, with gaps. */
export type StoredFeedEvent = StoredEvent & {
  readonly position: number
  readonly threadId: string | null
  readonly chainId: string | null
  readonly jobId: string | null
}

/**
 * A thread, a chain, a job or a schedule was created, changed or removed, perhaps without an event of a run; or a worker of a
 * host began, changed its load or ended, and `id` is the host. Only the latest change is kept; positions grow in the order of the commits, apart from those of events.
 */
export type StoredChange = {
  readonly position: number
  readonly kind: 'thread' | 'chain' | 'job' | 'schedule' | 'worker'
  readonly id: string
  readonly at: number
}

/** Stores of earlier versions may hold types and fields that are not known any more: readers pass them by. */
export function runEventOf({ runId, seq, at, json }: StoredEvent): RunEvent {
  return { runId, seq, at, ...(JSON.parse(json) as EventBody) }
}

/** The same as JSON, without parsing: the text goes through as it was stored. */
export function runEventJson({ runId, seq, at, json }: StoredEvent): string {
  return `{"runId":${JSON.stringify(runId)},"seq":${seq},"at":${at},${json.slice(1)}`
}
