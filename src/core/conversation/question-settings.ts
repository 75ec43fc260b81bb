// How long questions of agents may wait. One value for config files, the library and the flows.

export type QuestionSettings = {
  /** How long the user may take to answer. */
  readonly expireAfterMs: number
}

export const DEFAULT_QUESTIONS: QuestionSettings = { expireAfterMs: 24 * 60 * 60_000 }
