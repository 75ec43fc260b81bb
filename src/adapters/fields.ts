// Reads JSON of unknown shape: each function returns the value, or says that it is missing.

export type Fields = Readonly<Record<string, unknown>>

/** The object in a line of JSON; `null` for anything else, also for what cannot be parsed. */
export function parseFields(line: string): Fields | null {
  try {
    return fieldsIn(JSON.parse(line))
  } catch {
    // Not JSON, or nested too deeply to be read: the same to every caller.
    return null
  }
}

export function fieldsIn(value: unknown): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return value as Fields
}

export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function numberIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The objects of a list; other entries are left out. */
export function fieldsOf(value: unknown): readonly Fields[] {
  return listIn(value)
    .map(fieldsIn)
    .filter(fields => fields !== null)
}

export function textsOf(value: unknown): readonly string[] {
  return listIn(value).filter(item => typeof item === 'string')
}
