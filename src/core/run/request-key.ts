// The key of a request, by which a repeated request is not done again.

/** A request that must not be done twice. */
export type RequestKey = {
  readonly key: string
  /** Fingerprint of what is asked for: the same key with another one is a `conflict`. */
  readonly request: string
  /** Kept with the key and given back to whoever asks again. */
  readonly note: string
}

/** What a key was used for. */
export type StoredRequest = {
  readonly threadId: string
  readonly runId: string | null
  readonly messageId: string | null
  readonly note: string
}
