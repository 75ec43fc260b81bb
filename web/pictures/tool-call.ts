// A call of a tool as a person reads it: a command, a change of a file, or its input as it is.
import { type DiffLine, diffTexts } from './diff-lines.ts'

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
  const path = textOf(fields, 'file_path')
  const lines = path === null ? null : changeIn(tool, fields)
  if (path !== null && lines !== null) return { kind: 'change', path, lines }
  return { kind: 'other', text: fields === null ? input : JSON.stringify(fields, null, 2) }
}

const TELLING = ['command', 'file_path', 'path', 'pattern', 'url', 'query', 'description', 'prompt']

/** One line for logs and lists: `Bash npm test`. */
export function callLine(tool: string, input: string): string {
  const fields = fieldsIn(input)
  const name = TELLING.find(known => textOf(fields, known) !== null)
  const telling = name === undefined ? null : textOf(fields, name)
  return telling === null ? tool : `${tool} ${telling.replaceAll(/\s+/g, ' ').slice(0, 300)}`
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

type Fields = Readonly<Record<string, unknown>> | null

function changeIn(tool: string, fields: Fields): readonly DiffLine[] | null {
  if (tool === 'Write') {
    const content = textOf(fields, 'content')
    return content === null ? null : diffTexts('', content)
  }
  if (tool === 'Edit') return editIn(fields)
  if (tool !== 'MultiEdit' || !Array.isArray(fields?.edits)) return null
  const edits = fields.edits.map(edit => editIn(asFields(edit)))
  return edits.every(edit => edit !== null) ? edits.flatMap(withGap) : null
}

/** The call names only a part of the file, so its lines have no numbers. */
function editIn(fields: Fields): readonly DiffLine[] | null {
  const before = textOf(fields, 'old_string')
  const after = textOf(fields, 'new_string')
  if (before === null || after === null) return null
  return diffTexts(before, after).map(line => ({ ...line, number: null }))
}

function withGap(lines: readonly DiffLine[], index: number): readonly DiffLine[] {
  return index === 0 ? lines : [{ kind: 'gap', number: null, text: '' }, ...lines]
}

function fieldsIn(input: string): Fields {
  try {
    return asFields(JSON.parse(input))
  } catch {
    // A cut input is shown as it is.
    return null
  }
}

function asFields(value: unknown): Fields {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, unknown>>) : null
}

function textOf(fields: Fields, name: string): string | null {
  const value = fields?.[name]
  return typeof value === 'string' ? value : null
}
