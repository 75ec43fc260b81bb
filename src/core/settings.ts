// Resume settings: what a user may say about how runs continue. The effective value is written into every run's record.

export type ResumeSettings = {
  readonly mode: 'auto' | 'never'
  /** Share of the model's window over which a session is too full to resume (D-6). */
  readonly contextThreshold: number
  readonly onWorkDirChange: 'replay' | 'relocate'
  /** Resumes in a row without a new persisted answer before the session is given up. */
  readonly maxFruitlessResumes: number
  readonly maxSessionAgeMs: number | null
  /** What an unknown fact means: do not risk it, or trust the session. */
  readonly whenUnknown: 'replay' | 'resume'
}

export const DEFAULT_RESUME: ResumeSettings = {
  mode: 'auto',
  contextThreshold: 0.8,
  onWorkDirChange: 'replay',
  maxFruitlessResumes: 3,
  maxSessionAgeMs: null,
  whenUnknown: 'replay',
}
