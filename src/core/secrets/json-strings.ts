// Replaces strings and numbers inside a JSON document.
import { meansValue } from './nested-values.ts'
import { REPLACEMENT } from './span.ts'

/** `undefined` when the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `change` receives each value and the name of its field, or of the field that holds its list or its object with a `value`. */
export function mapStrings(
  document: unknown,
  change: (value: string, name: string | null) => string,
): string {
  try {
    return JSON.stringify(mapped(document, change, null))
  } catch {
    // The document is nested too deeply to search. Leaving it out is safer than a leaked secret.
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
    Object.entries(value).map(([key, item]) => [
      key,
      mapped(item, change, name !== null && meansValue(key) ? name : key),
    ]),
  )
}
