// A session file to be copied with shorter outputs of its calls.

export type SessionTrimming = {
  /** The id of the copy. */
  readonly sessionId: string
  /** Gives what stands in the copy for an output. */
  readonly shorten: (output: string) => string
}
