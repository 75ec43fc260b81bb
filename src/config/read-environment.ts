// Resume settings from the environment. Loaded only when one of the variables is set.
import type { ResumeSettings } from '../core/decide/settings.ts'
import { RepriseError } from '../errors.ts'
import { closest } from './closest.ts'
import type { Environment } from './home.ts'
import { resumeSchema } from './schema.ts'

const VARIABLES: Readonly<Record<string, keyof ResumeSettings>> = {
  REPRISE_RESUME_MODE: 'mode',
  REPRISE_RESUME_CONTEXT_THRESHOLD: 'contextThreshold',
  REPRISE_RESUME_ON_WORK_DIR_CHANGE: 'onWorkDirChange',
  REPRISE_RESUME_MAX_FRUITLESS_RESUMES: 'maxFruitlessResumes',
  REPRISE_RESUME_MAX_SESSION_AGE_MS: 'maxSessionAgeMs',
  REPRISE_RESUME_WHEN_UNKNOWN: 'whenUnknown',
  REPRISE_RESUME_REPLAY: 'replay',
}

export function readEnvironment(env: Environment): Partial<ResumeSettings> {
  refuseUnknown(env)
  let settings: Partial<ResumeSettings> = {}
  for (const [variable, setting] of Object.entries(VARIABLES)) {
    const text = env[variable]
    if (text === undefined || text === '') continue
    settings = { ...settings, ...parse(variable, setting, text) }
  }
  return settings
}

function refuseUnknown(env: Environment): void {
  const known = Object.keys(VARIABLES)
  for (const name of Object.keys(env)) {
    if (!name.startsWith('REPRISE_RESUME_') || known.includes(name)) continue
    const near = closest(name, known)
    throw new RepriseError(
      'bad-config',
      `the environment sets ${name}, which is not a setting`,
      near === null ? `Known settings: ${known.join(', ')}.` : `Did you mean ${near}?`,
    )
  }
}

function parse(variable: string, setting: keyof ResumeSettings, text: string) {
  const parsed = resumeSchema.safeParse({ [setting]: readValue(text) })
  if (parsed.success) return parsed.data as Partial<ResumeSettings>
  throw new RepriseError(
    'bad-config',
    `${variable} is \`${text}\`: ${parsed.error.issues[0]?.message}`,
    `Correct ${variable} or unset it.`,
  )
}

function readValue(text: string): unknown {
  if (text === 'null') return null
  const number = Number(text)
  return Number.isNaN(number) ? text : number
}
