// What a tool call did, in a line: the command, the file, or the first words of its input.
import { type DiffLine, diffTexts } from './diff-lines.ts'

export type Call = { readonly name: string; readonly input: string }

const MOST_CHARS = 200

export function summaryOf({ input }: Call): string {
  const fields = fieldsOf(input)
  const known = [
    'command',
    'file_path',
    'notebook_path',
    'path',
    'pattern',
    'url',
    'query',
    'prompt',
  ]
  const name = known.find(field => typeof fields[field] === 'string')
  const text = name === undefined ? Object.values(fields).find(isText) : fields[name]
  return oneLine(isText(text) ? text : input === '{}' ? '' : input)
}

/** What an edit changes; `null` for calls that are no edits. */
export function diffOf({
  input,
}: Call): { readonly path: string; readonly lines: readonly DiffLine[] } | null {
  const fields = fieldsOf(input)
  const { file_path: path, old_string: before, new_string: after, content } = fields
  if (!isText(path)) return null
  if (isText(before) && isText(after)) return { path, lines: diffTexts(before, after) }
  if (isText(content)) return { path, lines: diffTexts('', content) }
  const { edits } = fields
  if (!Array.isArray(edits)) return null
  const lines = edits.flatMap((edit, index): DiffLine[] => {
    const { old_string: from, new_string: to } = asFields(edit)
    const gap: DiffLine[] = index === 0 ? [] : [{ kind: 'gap', number: null, text: '' }]
    return isText(from) && isText(to) ? [...gap, ...diffTexts(from, to)] : []
  })
  return { path, lines }
}

/** `Read 3, Bash 1`: most used first. */
export function namesOf(calls: readonly Pick<Call, 'name'>[]): string {
  const counts = new Map<string, number>()
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, times]) => `${name} ${times}`)
    .join(', ')
}

function fieldsOf(json: string): Readonly<Record<string, unknown>> {
  try {
    return asFields(JSON.parse(json))
  } catch {
    return {} // Long inputs were cut when they were stored.
  }
}

function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line
}
