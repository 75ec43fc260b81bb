// A tool call, as it is shown to the person who must allow it: a command, a change of a file, a new file, or its input in lines.
import { type CallInput, inputLines, readInput } from './call-input.ts'
import type { DiffLine } from './diff-lines.ts'
import { callSummary, changeOf } from './tool-summary.ts'
import { visibleText } from './visible-text.ts'

export type ShownCall = (
  | { readonly kind: 'command'; readonly command: string; readonly description: string | null }
  | { readonly kind: 'change'; readonly path: string; readonly lines: readonly DiffLine[] }
  /** A whole file: all its lines are added ones. */
  | { readonly kind: 'write'; readonly path: string; readonly lines: readonly DiffLine[] }
  | { readonly kind: 'other'; readonly text: string }
) & {
  /** The other fields of the input as `name: value`, so that nothing is allowed unseen. */
  readonly rest: readonly string[]
  /** The stored input is not whole: the call does more than is shown. */
  readonly isCut: boolean
}

/** `input` is JSON text, as the agent gave it; it may be cut or wrong. Nothing in it can hide or reorder the rest. */
export function showCall(tool: string, input: string): ShownCall {
  const call = readCall(tool, input)
  const shown = { rest: call.rest.map(visibleText), isCut: call.isCut }
  switch (call.kind) {
    case 'command': {
      const description = call.description === null ? null : visibleText(call.description)
      return { ...call, ...shown, command: visibleText(call.command), description }
    }
    case 'change':
    case 'write': {
      const lines = call.lines.map(line => ({ ...line, text: visibleText(line.text) }))
      return { ...call, ...shown, path: visibleText(call.path), lines }
    }
    case 'other':
      return { ...call, ...shown, text: visibleText(call.text) }
  }
}

function readCall(tool: string, input: string): ShownCall {
  const read = readInput(input)
  if (read === null) return { kind: 'other', text: input, rest: [], isCut: false }
  const { isCut } = read
  const command = textOf(read, 'command')
  if (command !== null) {
    const rest = linesWithout(read, ['command', 'description', 'timeout'])
    return { kind: 'command', command, description: textOf(read, 'description'), rest, isCut }
  }
  const change = changeOf({ name: tool, input })
  if (change !== null && change.lines.length > 0) {
    const { path, lines, shown } = change
    const rest = linesWithout(read, shown)
    return tool === 'Write'
      ? { kind: 'write', path, lines, rest, isCut }
      : { kind: 'change', path, lines: lines.map(withoutNumber), rest, isCut }
  }
  return { kind: 'other', text: inputLines(read).join('\n') || 'no input', rest: [], isCut }
}

/** One line for logs and lists: `Bash npm test`. */
export function callLine(tool: string, input: string): string {
  return `${tool} ${callSummary({ name: tool, input })}`.trim()
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
function withoutNumber(line: DiffLine): DiffLine {
  return { ...line, number: null }
}

function linesWithout({ fields, isCut }: CallInput, shown: readonly string[]): readonly string[] {
  const others = Object.entries(fields).filter(([name]) => !shown.includes(name))
  return inputLines({ fields: Object.fromEntries(others), isCut })
}

function textOf({ fields }: CallInput, name: string): string | null {
  const value = fields[name]
  return typeof value === 'string' ? value : null
}
