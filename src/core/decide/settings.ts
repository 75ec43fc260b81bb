// Resume settings: what a user may say about how runs continue. The effective value is written into every run's record.

export type ResumeSettings = {
  readonly mode: 'auto' | 'never'
  /** Share of the model's window over which a session is too full to resume. */
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

/** The environment beats files. Text that is no share between 0 and 1 is named in `problem`. */
export function settingsFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): { readonly settings: Partial<ResumeSettings> } | { readonly problem: string } {
  const name = THRESHOLD_VARIABLES.find(variable => env[variable])
  if (!name) return { settings: {} }
  const contextThreshold = Number(env[name])
  const isShare = contextThreshold > 0 && contextThreshold <= 1
  if (!isShare) return { problem: `${name} is "${env[name]}", not a number over 0 and up to 1` }
  return { settings: { contextThreshold } }
}

const THRESHOLD_VARIABLES = [
  'REPRISE_RESUME_CONTEXT_THRESHOLD',
  'CLAUDEOPS_RESUME_CONTEXT_THRESHOLD',
]
