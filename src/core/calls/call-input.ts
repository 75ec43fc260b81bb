// The input of a call: JSON text that the agent wrote, and that may have been cut where it was stored.

export type CallInput = {
  readonly fields: Readonly<Record<string, unknown>>
  /** The end is missing. The last field may be cut as well. */
  readonly isCut: boolean
}

/** `null`: the text is not an object, also not the beginning of one. */
export function readInput(json: string): CallInput | null {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? { fields: value, isCut: false } : null
  } catch {
    return readCut(json)
  }
}

/** The input as `name: value` lines: names of nested values are joined by dots. */
export function inputLines({ fields }: CallInput): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => linesOf(name, value, MOST_LEVELS))
}

const MOST_LEVELS = 6

function linesOf(name: string, value: unknown, levels: number): readonly string[] {
  if (value === null || typeof value !== 'object') {
    return `${name}: ${String(value)}`
      .split('\n')
      .map((line, at) => (at === 0 ? line : `  ${line}`))
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return [`${name}: none`]
  if (levels === 0) return [`${name}: …`]
  if (Array.isArray(value) && value.every(isOneLine)) return [`${name}: ${value.join(', ')}`]
  const nameOf = (key: string) => `${name}.${Array.isArray(value) ? Number(key) + 1 : key}`
  return entries.flatMap(([key, inner]) => linesOf(nameOf(key), inner, levels - 1))
}

function isOneLine(value: unknown): boolean {
  return typeof value === 'string' ? !value.includes('\n') : typeof value !== 'object'
}

const NAME = /\s*[{,]\s*"([^"\\]*(?:\\.[^"\\]*)*)"\s*:\s*/sy
const TEXT = /"([^"\\]*(?:\\.[^"\\]*)*)("?)/sy
const SCALAR = /(?:-?\d[\d.eE+-]*|true|false|null)(?=\s*[,}])/y

/** Reads texts, numbers and the like from the beginning of an object, up to the cut or to the first nested value. */
function readCut(json: string): CallInput | null {
  const fields: Record<string, unknown> = {}
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(json)
    if (found) at = pattern.lastIndex
    return found
  }
  for (let name = take(NAME); name; name = take(NAME)) {
    const text = take(TEXT)
    const value = text ? unescaped(text[1] ?? '') : take(SCALAR)?.[0]
    if (value === undefined) break
    fields[unescaped(name[1] ?? '')] = value
  }
  return at === 0 ? null : { fields, isCut: true }
}

function unescaped(raw: string): string {
  const whole = raw.replace(/\\(?:u[\da-fA-F]{0,3})?$/, '')
  try {
    return JSON.parse(`"${whole}"`) as string
  } catch {
    // It holds a line break or another character that JSON does not allow in a text.
    return whole
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
