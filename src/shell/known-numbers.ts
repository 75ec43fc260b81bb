// Variables of a line that hold only numbers. Arithmetic may use them, because bash never runs a number.
import {
  type Assignment,
  type Command,
  forEachChild,
  type PipelineNode,
  type Script,
  type Statement,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { builtinOf, wordOf } from './shell-words.ts'

export type Spoiled = { readonly names: ReadonlySet<string>; readonly all: boolean }

const SETTING: ReadonlySet<string> = new Set([
  ...['declare', 'eval', 'export', 'getopts', 'local', 'mapfile', 'read', 'readarray', 'readonly'],
  ...['trap', 'typeset'],
])
const DECLARING = /^(?:declare|export|local|readonly|typeset)$/

/** Names that get, somewhere in the line, a value that may not be a number. */
export function spoiledIn(script: Script): Spoiled {
  const names = new Set<string>()
  let all = false
  const spoil = (text: string) => {
    for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) names.add(name)
  }
  const see = (node: SyntaxNode): void => {
    if (node.type === 'Assignment' && !isNumberSet(node)) names.add(node.name)
    if (node.type === 'Select') names.add(node.name.text)
    if (node.type === 'For' && !countsOnly(node.wordlist)) names.add(node.name.text)
    if (node.type === 'ParameterExpansion' && node.operation?.operator.endsWith('=')) {
      names.add(node.parameter)
      all ||= node.prefix === '!'
    }
    if (node.type === 'Command') {
      const { name, words } = builtinOf(node)
      const mayPrint = name === 'printf' && !/^[^-]/.test(words[0] ? wordOf(words[0]).begins : 'x')
      const mayWait = name === 'wait' && words.some(word => word.value.startsWith('-'))
      const isSetting = mayPrint || mayWait || SETTING.has(name ?? '')
      for (const word of words) {
        const { text, begins } = wordOf(word)
        const [, set] = /^([A-Za-z_]\w*)\+?=/.exec(begins) ?? []
        if (set !== undefined) names.add(set)
        if (isSetting && set === undefined && text === null) all = true
        if (isSetting) spoil(text ?? begins)
      }
    }
    forEachChild(node, see)
  }
  see(script)
  return { names, all }
}

/** Variables that hold a number after the statement, so that later statements of its list can rely on it. */
export function numbersSetBy({ command, background }: Statement): readonly string[] {
  if (background) return []
  const first = command.type === 'AndOr' ? command.commands[0] : command
  return first ? numbersOf(first) : []
}

export function numbersOf(command: PipelineNode): readonly string[] {
  if (command.type === 'ArithmeticCommand') return numbersSetIn(command.body)
  if (command.type !== 'Command') return []
  return assignmentsFor(command).flatMap(part =>
    isNumberSet(part) && !part.append ? part.name : [],
  )
}

/** `i=0, j=1`: the value of arithmetic is always a number. */
export function numbersSetIn(expression: string): readonly string[] {
  return expression.split(',').flatMap(part => /^\s*([A-Za-z_]\w*)\s*=(?!=)/.exec(part)?.[1] ?? [])
}

/** `for i in 1 2 {3..9}` */
export function countsOnly(words: readonly Word[] | undefined): boolean {
  const count = /^(?:\d+|\{\d+\.\.\d+(?:\.\.\d+)?\})$/
  return words !== undefined && words.length > 0 && words.every(({ text }) => count.test(text))
}

/** The assignments that outlive the command. */
function assignmentsFor({ name, prefix, args }: Command): readonly Assignment[] {
  if (name === undefined) return prefix.filter(part => part.type === 'Assignment')
  return DECLARING.test(name.value) ? args.filter(part => part.type === 'Assignment') : []
}

export function isNumberSet({ value, index }: Assignment): boolean {
  if (index !== undefined || value.type !== 'Word') return false
  if (/^["']?-?\d*["']?$/.test(value.text) || COUNT.test(value.text)) return true
  const [part, ...more] = value.parts ?? []
  return more.length === 0 && part?.type === 'ArithmeticExpansion'
}

/** `$?`, `$#`, `${#name}`: bash itself has counted. */
const COUNT = /^"?\$(?:[#?$!]|\{#\w+(?:\[[@*]\])?\})"?$/
