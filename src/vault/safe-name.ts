// Agents choose their ids, so only harmless ids become file names.
import { hashText } from '../core/hash-text.ts'

export function safeName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(name)) return name
  return `x-${hashText(name)}`
}

/** True for the name of an id that was not harmless: nobody can tell which id that was. */
export function hidesId(name: string): boolean {
  return /^x-[0-9a-f]{64}$/.test(name)
}
