// Commands of bash that take the name of a variable as text, and with it an index that may be run: `read "a[$(x)]"`.
import type { Command, Word } from 'unbash'
import { isInteger, isPlain, isSubscript, type Numbers } from './plain-arithmetic.ts'
import { type Builtin, builtinOf, wordOf } from './shell-words.ts'

type Known = { readonly numbers: Numbers; readonly arrays: ReadonlySet<string> }

export function namesByText(command: Command, known: Known): boolean {
  const builtin = builtinOf(command)
  const { words } = builtin
  switch (builtin.name) {
    case 'let':
      return words.some(({ text }) => !isPlain(text, known.numbers))
    case '[':
    case 'test':
      return testsName(words, known)
    case 'printf':
      return printsInto(words, known)
    case 'wait':
      return words.some(word => maySplit(word, known)) || afterFlag(words, /^-\w*p$/, known)
    case 'unset':
    case 'mapfile':
    case 'readarray':
      return words.some(word => !isName(word, known))
    case 'read':
      return readsInto(words, known)
    case 'declare':
    case 'local':
    case 'typeset':
    case 'export':
    case 'readonly':
      return declares(builtin, known)
    default:
      return false
  }
}

/** A name, or a flag, without an index that could be run. */
function isName(word: Word, { numbers }: Known): boolean {
  const { text } = wordOf(word)
  if (text === null || isInteger(text)) return false
  const open = text.indexOf('[')
  return open === -1 || (text.endsWith(']') && isSubscript(text.slice(open + 1, -1), numbers))
}

function afterFlag(words: readonly Word[], flag: RegExp, known: Known): boolean {
  return words.some((word, at) => {
    const previous = words[at - 1]
    return previous !== undefined && flag.test(previous.value) && !isName(word, known)
  })
}

/** Without quotes one expansion may become several words, a `-v` among them. */
function maySplit({ text, parts = [] }: Word, { numbers }: Known): boolean {
  if (isPlain(text, numbers)) return false
  return parts.some(({ type }, at) => {
    if (type === 'Glob' || type === 'ExtendedGlob' || type === 'BraceExpansion') return at === 0
    return /^(?:SimpleExpansion|ParameterExpansion|CommandExpansion)$/.test(type)
  })
}

/** `[ -v name ]`, also where only the run will show that it is `-v`. */
function testsName(words: readonly Word[], known: Known): boolean {
  if (words.some(word => maySplit(word, known))) return true
  return words.some((word, at) => {
    const previous = words[at - 1]
    if (previous === undefined || isName(word, known)) return false
    const { text, begins } = wordOf(previous)
    return text === '-v' || (text === null && '-v'.startsWith(begins))
  })
}

function printsInto([first, ...more]: readonly Word[], known: Known): boolean {
  if (first === undefined) return false
  if (maySplit(first, known)) return more.length > 0
  const { text, begins } = wordOf(first)
  if (text === '-v') return more[0] === undefined || !isName(more[0], known)
  if (text?.startsWith('-v')) return !isName(first, known)
  return text === null && more.length > 0 && /^(?:-v.*|-?)$/s.test(begins)
}

function readsInto(words: readonly Word[], known: Known): boolean {
  return words.some((word, at) => {
    const isValue = /^-\w*[pdnNtui]$/.test(words[at - 1]?.value ?? '')
    return isValue ? maySplit(word, known) : !isName(word, known)
  })
}

/** `-i` makes arithmetic of every value, `-n` a name of it; with `-a` a value in brackets is read as a list. */
function declares({ name, words, assignments }: Builtin, { arrays }: Known): boolean {
  const isShared = name === 'export' || name === 'readonly'
  const texts = words.map(word => wordOf(word).text)
  const has = (letters: string) =>
    texts.some(text => text === null || new RegExp(`^-\\w*[${letters}]`).test(text))
  if (has(isShared ? 'aA' : 'in') && (!isShared || assignments.length + words.length > 1)) {
    if (!isShared || assignments.some(({ value }) => value.type === 'Word')) return true
  }
  if (
    !isShared &&
    texts.some(text => text === null || /[[(]/.test(text) || isInteger(text.split('=')[0] ?? ''))
  ) {
    return true
  }
  if (isShared && texts.some(text => text !== null && /[[(]/.test(text)) && has('aA')) return true
  return assignments.some(({ name: set, value }) => {
    if (isShared || value.type !== 'Word') return false
    const text = wordOf(value).text
    const mayBeList = text === null || text.startsWith('(')
    return mayBeList && (has('aA') || arrays.has(set) || BASH_ARRAYS.test(set))
  })
}

const BASH_ARRAYS = /^(?:BASH_\w+|COMP\w+|COPROC|DIRSTACK|FUNCNAME|GROUPS|MAPFILE|PIPESTATUS)$/
