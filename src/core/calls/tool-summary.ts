// What a tool call did, in a line: the command, the file, or the first words of its input.
import { inputLines, readInput } from './call-input.ts'
import { type DiffLine, diffTexts } from './diff-lines.ts'

export type Call = { readonly name: string; readonly input: string }

const MOST_CHARS = 200

export function callSummary({ input }: Call): string {
  return oneLine(mainText(input))
}

/** What tells most about an input, whole: its command, path, pattern, or first text; else all of it as `name: value`. */
export function mainText(input: string): string {
  const read = readInput(input)
  if (read === null) return input
  const { fields } = read
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
  return isText(text) ? text : inputLines(read).join(', ')
}

type Change = {
  readonly path: string
  readonly lines: readonly DiffLine[]
  /** The fields of the input that the path and the lines show whole. */
  readonly shown: readonly string[]
}

/** What an edit changes; `null` for calls that are no edits. */
export function changeOf({ input }: Call): Change | null {
  const fields = readInput(input)?.fields ?? {}
  const { file_path: path, old_string: before, new_string: after, content } = fields
  if (!isText(path)) return null
  if (isText(before) && isText(after)) {
    const shown = ['file_path', 'old_string', 'new_string']
    return { path, lines: diffTexts(before, after), shown }
  }
  if (isText(content)) {
    return { path, lines: diffTexts('', content), shown: ['file_path', 'content'] }
  }
  const { edits } = fields
  if (!Array.isArray(edits)) return null
  const lines = edits.flatMap((edit, index): DiffLine[] => {
    const { old_string: from, new_string: to } = asFields(edit)
    const gap: DiffLine[] = index === 0 ? [] : [{ kind: 'gap', number: null, text: '' }]
    return isText(from) && isText(to) ? [...gap, ...diffTexts(from, to)] : []
  })
  const isPlain = edits.every(edit => Object.keys(asFields(edit)).every(name => EDITED.has(name)))
  return { path, lines, shown: isPlain ? ['file_path', 'edits'] : ['file_path'] }
}

const EDITED: ReadonlySet<string> = new Set(['old_string', 'new_string'])

/** `Read 3, Bash 1`: most used first. */
export function namesOf(calls: readonly Pick<Call, 'name'>[]): string {
  const counts = new Map<string, number>()
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, times]) => `${name} ${times}`)
    .join(', ')
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
