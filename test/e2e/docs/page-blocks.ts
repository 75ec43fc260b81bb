// The fenced blocks of a page, and what in them is a command.
import { basename } from 'node:path'
import { parse } from 'unbash'

export type Block = {
  /** The line of the opening fence, counted from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
}

export type Command = {
  readonly line: number
  readonly text: string
  /** `# exit 6` at the end of the line; 0 otherwise. */
  readonly exitCode: number
  /** What a `console` block shows below it; `null` where nothing is shown. */
  readonly shows: string | null
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm

export function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(FENCE)].map(({ index, 1: language = '', 2: text = '' }) => ({
    line: page.slice(0, index).split('\n').length,
    language,
    text,
  }))
}

/** The file that a block is to be stored as: `# ops.yaml` or `// watch.ts` alone on its first line. */
export function fileNameOf({ text }: Block): string | null {
  const [, name = ''] = /^(?:#|\/\/) ([\w./-]+\.(?:ts|yaml|yml|json|md|sh))\s*\n/.exec(text) ?? []
  return name === '' || name.startsWith('/') || name.includes('..') ? null : name
}

/** `examples/x.ts`, when the block is a copy of an example. */
export function exampleOf(block: Block): string | null {
  const name = fileNameOf(block)
  return name?.startsWith('examples/') ? basename(name) : null
}

export function commandsOf(block: Block): readonly Command[] {
  return block.language === 'console' ? shownCommands(block) : shellCommands(block.text, block.line)
}

/** `$ ` begins a command; what follows is what it prints. */
function shownCommands({ text, line }: Block): readonly Command[] {
  const lines = text.split('\n').slice(0, -1)
  const starts = lines.flatMap((one, index) => (one.startsWith('$ ') ? [index] : []))
  return starts.map((start, index) => {
    const [first = '', ...rest] = lines.slice(start, starts[index + 1] ?? lines.length)
    const shows = rest.join('\n').trimEnd()
    return { ...commandOf(first.slice(2), line + start + 1), shows: shows === '' ? null : shows }
  })
}

function shellCommands(text: string, line: number): readonly Command[] {
  const commands: Command[] = []
  let pending: string[] = []
  for (const [index, one] of text.split('\n').entries()) {
    pending.push(one)
    const soFar = pending.join('\n')
    if (!isComplete(soFar)) continue
    if (parse(soFar).commands.length > 0) {
      commands.push(commandOf(soFar, line + index + 2 - pending.length))
    }
    pending = []
  }
  if (pending.length > 0) throw new Error(`line ${line}: this command has no end: ${pending}`)
  return commands
}

function isComplete(text: string): boolean {
  const [, , word] = /<<-?\s*(['"]?)(\w+)\1/.exec(text) ?? []
  const isOpen = word !== undefined && !new RegExp(`\n\\s*${word}$`).test(text)
  return !isOpen && !text.endsWith('\\') && (parse(text).errors ?? []).length === 0
}

function commandOf(text: string, line: number): Command {
  const [, code = '0'] = /\s# exit (\d+)\b.*$/.exec(text) ?? []
  return { line, text, exitCode: Number(code), shows: null }
}
