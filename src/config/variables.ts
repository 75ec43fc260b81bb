// Which variable of the environment decides about a setting.
import type { Environment } from './home.ts'

/** In the order in which they win. `read-environment.ts` reads most of them. */
const VARIABLES: readonly (readonly [name: string, setting: string])[] = [
  ['REPRISE_RESUME_MODE', 'resume.mode'],
  ['REPRISE_RESUME_CONTEXT_THRESHOLD', 'resume.contextThreshold'],
  ['CLAUDEOPS_RESUME_CONTEXT_THRESHOLD', 'resume.contextThreshold'],
  ['REPRISE_RESUME_ON_WORK_DIR_CHANGE', 'resume.onWorkDirChange'],
  ['REPRISE_RESUME_MAX_FRUITLESS_RESUMES', 'resume.maxFruitlessResumes'],
  ['REPRISE_RESUME_MAX_SESSION_AGE_MS', 'resume.maxSessionAgeMs'],
  ['REPRISE_RESUME_WHEN_UNKNOWN', 'resume.whenUnknown'],
  ['REPRISE_RESUME_REPLAY', 'resume.replay'],
  ['REPRISE_LOG_LEVEL', 'daemon.logLevel'],
  ['REPRISE_DATABASE_URL', 'database'],
  ['REPRISE_HOST', 'host'],
  ['REPRISE_TELEMETRY_MODULE', 'telemetry.module'],
]

/** `null` when no variable that is set decides about it. */
export function variableOf(keys: readonly string[], env: Environment): string | null {
  const key = keys.join('.')
  const found = VARIABLES.find(([name, setting]) => setting === key && env[name])
  return found?.[0] ?? null
}
