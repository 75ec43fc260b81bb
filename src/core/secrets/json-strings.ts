// A JSON document with other texts in the places of its strings and numbers.
import { REPLACEMENT } from './span.ts'

/** `undefined` for what is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `change` is given each of them and the name of its field, or of the field that holds its list. */
export function mapStrings(
  document: unknown,
  change: (value: string, name: string | null) => string,
): string {
  try {
    return JSON.stringify(mapped(document, change, null))
  } catch {
    // Nested too deeply to be gone through: better nothing of it than a secret.
    return JSON.stringify(REPLACEMENT)
  }
}

function mapped(
  value: unknown,
  change: (value: string, name: string | null) => string,
  name: string | null,
): unknown {
  if (typeof value === 'string') return change(value, name)
  if (typeof value === 'number') {
    const changed = change(String(value), name)
    return changed === String(value) ? value : changed
  }
  if (Array.isArray(value)) return value.map(item => mapped(item, change, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapped(item, change, key)]),
  )
}
