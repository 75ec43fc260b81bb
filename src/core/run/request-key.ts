// The key of a request: a repeated request with the same key is not done again.

/** The key of a request that must not be done twice. */
export type RequestKey = {
  /** Chosen by the caller. */
  readonly key: string
  /** Fingerprint of what is asked for. The same key with another fingerprint is a `conflict`. */
  readonly request: string
  /** Stored with the key and given back to a repeated request. */
  readonly note: string
}

/** What a key was used for. */
export type StoredRequest = {
  readonly threadId: string
  readonly runId: string | null
  readonly messageId: string | null
  readonly note: string
}
