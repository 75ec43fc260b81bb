// What "allow for this run" allows: a rule that later calls are compared with, and its words for the person who decides.
import { visibleText } from './visible-text.ts'

/** A rule that a user can allow for a whole run. Two calls are of one rule when `kind`, `tool` and `value` are the same. */
export type PermissionRule = {
  /** What must be the same in a later call: its command, the file that it changes or reads, its address, or its whole input. */
  readonly kind: 'command' | 'change' | 'read' | 'page' | 'call'
  readonly tool: string
  /** The command, path, address or input, as text. Long values are cut where they are stored, and then equal no call. */
  readonly value: string
  readonly words: string
}

export function permissionRule({ kind, tool, value }: Omit<PermissionRule, 'words'>) {
  return { kind, tool, value, words: WORDS[kind](tool, quoted(visibleText(value))) }
}

/** A later call is allowed by a rule when the adapter makes the same rule of it. */
export function isSameRule(left: PermissionRule, right: PermissionRule): boolean {
  return left.kind === right.kind && left.tool === right.tool && left.value === right.value
}

const WORDS: Readonly<Record<PermissionRule['kind'], (tool: string, value: string) => string>> = {
  command: (tool, value) => `${tool} commands that are exactly ${value}`,
  change: (_, value) => `every change of the file ${value}`,
  read: (_, value) => `reading the file ${value}`,
  page: (tool, value) => `${tool} of exactly ${value}`,
  call: tool => `${tool} calls with exactly this input`,
}

const MOST_CHARS = 120

/** The whole call is shown beside the rule, so a long value is recognised by its beginning and its size. */
function quoted(value: string): string {
  const [first = '', ...more] = value.split('\n')
  if (more.length === 0 && first.length <= MOST_CHARS) return `\`${first}\``
  const size = more.length === 0 ? `${value.length} characters` : `${more.length + 1} lines`
  return `\`${first.slice(0, MOST_CHARS)}…\` (${size})`
}
