// The model and the mode of a session over ACP: what it begins with, and the requests that change it.
import { type Fields, fieldsIn, fieldsOf, textIn } from '../fields.ts'

type Wanted = { readonly model: string | null; readonly mode: string | null }

export type SettingRequests =
  | {
      readonly model: string | null
      readonly mode: string | null
      readonly requests: readonly { readonly method: string; readonly params: object }[]
    }
  | { readonly problem: string }

/** `opened` is the agent's answer to a new or loaded session. */
export function settingRequests(
  sessionId: string,
  opened: Fields,
  wanted: Wanted,
): SettingRequests {
  const requests: { method: string; params: object }[] = []
  const now: Record<'model' | 'mode', string | null> = { model: null, mode: null }
  for (const category of ['model', 'mode'] as const) {
    const offer = offerOf(opened, category)
    const value = wanted[category]
    now[category] = value ?? offer?.current ?? null
    if (value === null || value === offer?.current) continue
    const params = offer?.values.includes(value) === true ? offer.params(value) : null
    if (offer === null || params === null)
      return { problem: `the agent offers no ${category} with the name ${value}` }
    requests.push({ method: offer.method, params: { sessionId, ...params } })
  }
  return { ...now, requests }
}

type Offer = {
  readonly current: string | null
  readonly values: readonly string[]
  readonly method: string
  params(value: string): object
}

/** Agents offer these as options of the session, or in the way that ACP had before it had options. */
function offerOf(opened: Fields, category: 'model' | 'mode'): Offer | null {
  const option = fieldsOf(opened.configOptions).find(found => found.category === category)
  if (option)
    return {
      current: textIn(option.currentValue),
      values: valuesOf(option.options),
      method: 'session/set_config_option',
      params: value => ({ configId: option.id, value }),
    }
  if (category === 'model') {
    const models = fieldsIn(opened.models)
    return (
      models && {
        current: textIn(models.currentModelId),
        values: fieldsOf(models.availableModels).map(({ modelId }) => String(modelId)),
        method: 'session/set_model',
        params: modelId => ({ modelId }),
      }
    )
  }
  const modes = fieldsIn(opened.modes)
  return (
    modes && {
      current: textIn(modes.currentModeId),
      values: fieldsOf(modes.availableModes).map(({ id }) => String(id)),
      method: 'session/set_mode',
      params: modeId => ({ modeId }),
    }
  )
}

/** Options stand in one list, or in groups. */
function valuesOf(options: unknown): readonly string[] {
  return fieldsOf(options).flatMap(option =>
    option.options === undefined ? [String(option.value)] : valuesOf(option.options),
  )
}
