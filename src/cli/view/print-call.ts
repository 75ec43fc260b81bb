// A call that a person must allow, on the terminal: the command, the difference, the new file, or its input in lines.
import type { DiffLine } from '../../core/calls/diff-lines.ts'
import { countsOf } from '../../core/calls/diff-lines.ts'
import { type ShownCall, showCall } from '../../core/calls/tool-call.ts'
import { type Io, paint } from '../start/io.ts'
import { sanitise } from './sanitise.ts'

/** Of a new file, the beginning is enough; a command is shown as far as a person may read it. */
const MOST_LINES: Readonly<Record<ShownCall['kind'], number>> = {
  command: 200,
  change: 80,
  write: 20,
  other: 80,
}
/** A longer line goes on in the next one: a command must not hide its end behind many blanks. */
const MOST_CHARS = 1_000

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = {
  same: ' ',
  added: '+',
  removed: '-',
  gap: '…',
}

type Line = { readonly text: string; readonly look?: 'red' | 'green' | 'dim' }

export function printCall(
  io: Io,
  { tool, input }: { readonly tool: string; readonly input: string },
): void {
  for (const { text, look } of callLines(showCall(tool, input))) {
    const painted = look ? paint(io, io.stderr, look) : (plain: string) => plain
    io.stderr.write(`  ${painted(sanitise(text))}\n`)
  }
}

function callLines(shown: ShownCall): readonly Line[] {
  const rest = shown.rest.map(text => ({ text }))
  return [
    ...headOf(shown),
    ...limited(rest, MOST_LINES.other),
    ...limited(bodyOf(shown), MOST_LINES[shown.kind]),
    ...(shown.isCut ? [{ text: '… the rest of the call is too long to show' }] : []),
  ]
}

function limited(all: readonly Line[], most: number): readonly Line[] {
  const pieces = all.flatMap(inPieces)
  const left = pieces.length - most
  if (left <= 0) return pieces
  return [...pieces.slice(0, most), { text: `… ${left} more lines`, look: 'dim' }]
}

function inPieces({ text, look }: Line): readonly Line[] {
  if (text.length <= MOST_CHARS) return [{ text, ...(look && { look }) }]
  const pieces = Array.from({ length: Math.ceil(text.length / MOST_CHARS) }, (_, index) =>
    text.slice(index * MOST_CHARS, (index + 1) * MOST_CHARS),
  )
  return pieces.map(piece => ({ text: piece, ...(look && { look }) }))
}

function headOf(shown: ShownCall): readonly Line[] {
  switch (shown.kind) {
    case 'command': {
      const { description } = shown
      return description ? [{ text: `the agent says: ${oneLine(description)}`, look: 'dim' }] : []
    }
    case 'change': {
      const { added, removed } = countsOf(shown.lines)
      return [{ text: `change ${oneLine(shown.path)} (+${added} -${removed})` }]
    }
    case 'write': {
      const lines = shown.lines.length
      return [{ text: `write ${oneLine(shown.path)} (${lines} ${lines === 1 ? 'line' : 'lines'})` }]
    }
    case 'other':
      return []
  }
}

function bodyOf(shown: ShownCall): readonly Line[] {
  switch (shown.kind) {
    case 'command':
      return shown.command
        .split('\n')
        .map((line, index) => ({ text: `${index === 0 ? '$' : ' '} ${line}` }))
    case 'change':
    case 'write':
      return shown.lines.map(diffLine)
    case 'other':
      return shown.text.split('\n').map(text => ({ text }))
  }
}

function diffLine({ kind, text }: DiffLine): Line {
  const line = `${SIGNS[kind]} ${text}`.trimEnd()
  if (kind === 'added') return { text: line, look: 'green' }
  return kind === 'removed' ? { text: line, look: 'red' } : { text: line, look: 'dim' }
}

/** A line break in a name must not look like a line of ours. */
function oneLine(text: string): string {
  const lines = text.split('\n').map(line => line.trim())
  return lines.filter(line => line !== '').join(' ⏎ ')
}
