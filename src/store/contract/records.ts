// Events as the store keeps them.

/** An event of a run as stored: `seq` counts from 1 without gaps. */
export type StoredEvent = {
  readonly runId: string
  readonly seq: number
  readonly at: number
  readonly type: string
  /** The whole event as JSON text. */
  readonly json: string
}

export type NewEvent = Pick<StoredEvent, 'at' | 'type' | 'json'>

/** An event with its place among all events; positions grow in the order of the commits, with gaps. */
export type FeedEvent = StoredEvent & {
  readonly position: number
  readonly threadId: string | null
}
