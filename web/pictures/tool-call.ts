// A call of a tool as a person reads it who must allow it: a command, a change of a file, or its input as it is.
import type { DiffLine } from './diff-lines.ts'
import { diffOf, summaryOf } from './tool-summary.ts'

export type ShownCall =
  | { readonly kind: 'command'; readonly command: string; readonly description: string | null }
  | { readonly kind: 'change'; readonly path: string; readonly lines: readonly DiffLine[] }
  | { readonly kind: 'other'; readonly text: string }

/** `input` is JSON text, as the agent gave it; it may be cut or wrong. */
export function readCall(tool: string, input: string): ShownCall {
  const fields = fieldsIn(input)
  const command = textOf(fields, 'command')
  if (command !== null) {
    return { kind: 'command', command, description: textOf(fields, 'description') }
  }
  const change = diffOf({ name: tool, input })
  if (change !== null && change.lines.length > 0) {
    return { kind: 'change', path: change.path, lines: numbered(tool, change.lines) }
  }
  return { kind: 'other', text: fields === null ? input : JSON.stringify(fields, null, 2) }
}

/** One line for logs and lists: `Bash npm test`. */
export function callLine(tool: string, input: string): string {
  return `${tool} ${summaryOf({ name: tool, input })}`.trim()
}

/** What the person is asked for, as a heading. */
export function callTitle(tool: string): string {
  return TITLES[tool] ?? `Use ${tool}`
}

const TITLES: Readonly<Record<string, string>> = {
  Bash: 'Run a command',
  Edit: 'Edit a file',
  MultiEdit: 'Edit a file',
  Write: 'Write a file',
  WebFetch: 'Read a page of the web',
}

/** An edit names only a part of the file, so nobody knows the numbers of its lines. */
function numbered(tool: string, lines: readonly DiffLine[]): readonly DiffLine[] {
  return tool === 'Write' ? lines : lines.map(line => ({ ...line, number: null }))
}

type Fields = Readonly<Record<string, unknown>> | null

function fieldsIn(input: string): Fields {
  try {
    const value: unknown = JSON.parse(input)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : null
  } catch {
    // A cut input is shown as it is.
    return null
  }
}

function textOf(fields: Fields, name: string): string | null {
  const value = fields?.[name]
  return typeof value === 'string' ? value : null
}
