// The window of a model in tokens with a version of Claude Code, known before the first run. It was measured: see the tests on both versions.
import type { AgentPlace } from '../adapter.ts'

const LONG_WINDOW = 1_000_000
const USUAL_WINDOW = 200_000
/** At the end of a name: the long window, on every version. */
const LONG = '[1m]'

/** Aliases of models, and the variable with which a user chooses the model of each. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['opus', 'ANTHROPIC_DEFAULT_OPUS_MODEL'],
  ['best', 'ANTHROPIC_DEFAULT_OPUS_MODEL'],
  ['sonnet', 'ANTHROPIC_DEFAULT_SONNET_MODEL'],
  ['opusplan', 'ANTHROPIC_DEFAULT_SONNET_MODEL'],
  ['haiku', 'ANTHROPIC_DEFAULT_HAIKU_MODEL'],
  ['fable', 'ANTHROPIC_DEFAULT_FABLE_MODEL'],
])

/** Models that keep the usual window where newer ones have the long one; dates and suffixes may follow. */
const USUAL_MODELS = [
  'claude-3',
  'claude-haiku-4-5',
  'claude-opus-4-5',
  'claude-opus-4-6',
  'claude-sonnet-4',
]

/** `null`: a model of another vendor, whose window is not known before its first run. */
export function contextWindow(given: string, { runtime, env }: AgentPlace): number | null {
  const { name, isLong } = modelOf(given, env)
  const isOurs = ALIASES.has(name) || name.startsWith('claude-')
  if (!isOurs && !isLong) return null
  if (isSet(env.CLAUDE_CODE_DISABLE_1M_CONTEXT)) return USUAL_WINDOW
  if (isLong) return LONG_WINDOW
  if (runtime.quirks.includes('usual-windows')) return USUAL_WINDOW
  const isUsual = USUAL_MODELS.some(prefix => name === prefix || name.startsWith(`${prefix}-`))
  return isUsual ? USUAL_WINDOW : LONG_WINDOW
}

function modelOf(given: string, env: AgentPlace['env']): { name: string; isLong: boolean } {
  const name = withoutSuffix(given)
  const variable = ALIASES.get(name.toLowerCase())
  if (variable === undefined) return { name, isLong: given !== name }
  const chosen = env[variable] || name.toLowerCase()
  return { name: withoutSuffix(chosen), isLong: [given, chosen].some(text => text.endsWith(LONG)) }
}

function withoutSuffix(model: string): string {
  return model.endsWith(LONG) ? model.slice(0, -LONG.length) : model
}

/** Reads a switch in the environment as Claude Code does. */
function isSet(value: string | undefined): boolean {
  return ['1', 'true', 'yes', 'on'].includes((value ?? '').trim().toLowerCase())
}
