// Bash read by its grammar (`unbash`): every simple command of a line, those in substitutions and here-documents included.
import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
} from 'unbash'
import type { ShellCommand, ShellLine, ShellWord } from '../core/fence/shell-line.ts'
import { wordOf } from './shell-words.ts'
import { runsText } from './text-as-code.ts'

const MAX_CHARS = 16_000
/** The parser's time grows with the square of these; within these bounds a line takes milliseconds. */
const MAX_OPENERS = 1_000
const MAX_NESTING = 50

export function readShell(line: string): ShellLine {
  const excess = tooMuch(line)
  if (excess !== null) return { problem: excess }
  const commands: ShellCommand[] = []
  const state: State = { isBroken: false, mayRunText: false }
  try {
    const script = parse(line)
    visit(script, { commands, state })
    state.mayRunText = runsText(script)
  } catch {
    // The line is nested deeper than the stack, so it counts as unreadable.
    state.isBroken = true
  }
  if (state.isBroken) return { problem: 'it is not a complete shell command' }
  return state.mayRunText ? { problem: 'bash may run a text in it as a command' } : { commands }
}

type State = { isBroken: boolean; mayRunText: boolean }
type Visit = { readonly commands: ShellCommand[]; readonly state: State }

/** Brackets in quotes count too; so many of them are rare. */
function tooMuch(line: string): string | null {
  if (line.length > MAX_CHARS) return `it is longer than ${MAX_CHARS} characters`
  let openers = 0
  let nesting = 0
  for (const sign of line) {
    if (OPENERS.has(sign)) openers += 1
    if (OPENING.has(sign)) nesting += 1
    if (CLOSING.has(sign)) nesting = Math.max(0, nesting - 1)
    if (nesting > MAX_NESTING) return `its brackets are nested more than ${MAX_NESTING} deep`
  }
  return openers > MAX_OPENERS ? `it has more than ${MAX_OPENERS} brackets and redirections` : null
}

const OPENING: ReadonlySet<string> = new Set(['(', '{', '['])
const CLOSING: ReadonlySet<string> = new Set([')', '}', ']'])
const OPENERS: ReadonlySet<string> = new Set([...OPENING, '<', '`'])

function visit(node: SyntaxNode, { commands, state }: Visit): void {
  if (node.type === 'Script' && node.errors !== undefined && node.errors.length > 0) {
    state.isBroken = true
  }
  const found = commandIn(node)
  if (found !== null) commands.push(found)
  forEachChild(node, child => visit(child, { commands, state }))
}

/** What a node does by itself, without its children. */
function commandIn(node: SyntaxNode): ShellCommand | null {
  switch (node.type) {
    case 'Command':
      return simpleCommand(node)
    case 'Redirected':
      return { ...NOTHING, writesTo: written(node.redirects) }
    case 'For':
    case 'Select':
      return { ...NOTHING, sets: [node.name.text] }
    default:
      return null
  }
}

const NOTHING: ShellCommand = { words: [], sets: [], writesTo: [], hasMoreWords: false }

function simpleCommand({ name, prefix, args, redirects }: Command): ShellCommand {
  const before = prefix.filter(part => part.type === 'Assignment')
  const after = args.filter(part => part.type === 'Assignment')
  const words = args.map(part => (part.type === 'Assignment' ? assigned(part) : wordOf(part)))
  return {
    words: name === undefined ? [] : [wordOf(name), ...words],
    sets: [...before, ...after].map(part => part.name),
    writesTo: written(redirects),
    hasMoreWords: false,
  }
}

/** `export A=b`: an argument that sets a variable. */
function assigned({ name, text }: Assignment): ShellWord {
  return { text: /[$`\\'"]/.test(text) ? null : text, begins: `${name}=` }
}

function written(redirects: readonly Redirection[]): readonly ShellWord[] {
  return redirects.flatMap(redirect => {
    if (redirect.type !== 'Redirect' || redirect.operator === '<' || redirect.operator === '<&') {
      return []
    }
    const target = redirect.target && wordOf(redirect.target)
    const isDescriptor = redirect.operator === '>&' && /^(?:\d+|-)$/.test(target?.text ?? '')
    return isDescriptor ? [] : [target ?? { text: null, begins: '' }]
  })
}
