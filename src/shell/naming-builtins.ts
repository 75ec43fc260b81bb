// Commands that take the name of a variable as text, which may hold an index that bash runs (`read "a[$(x)]"`), or a program (`find $x`).
import type { Assignment, Command, Word } from 'unbash'
import { RUNNING_VARIABLE } from '../core/fence/started-commands.ts'
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
      return waitsInto(words, known)
    case 'unset':
    case 'mapfile':
    case 'readarray':
      return words.some(word => !isName(word, known))
    case 'read':
      return readsInto(words, known)
    case 'declare':
    case 'local':
    case 'typeset':
      return declares(builtin, known)
    case 'export':
    case 'readonly':
      return exportsList(builtin, known)
    case 'find':
      return words.some(mayBecomeFlags)
    default:
      return false
  }
}

/** A name or a flag without an index that bash could run, and not a variable whose text bash runs. */
function isName(word: Word, { numbers }: Known): boolean {
  const { text } = wordOf(word)
  if (text === null || isInteger(text) || RUNNING_VARIABLE.test(text.replace(/^-v/, ''))) {
    return false
  }
  const open = text.indexOf('[')
  return open === -1 || (text.endsWith(']') && isSubscript(text.slice(open + 1, -1), numbers))
}

/** `wait -p name`, also where a word may turn out to be `-p`. */
function waitsInto(words: readonly Word[], known: Known): boolean {
  const others = words.filter(({ text }) => !isPlain(text, known.numbers))
  if (others.some(word => maySplit(word, known))) return true
  return others.some((word, at) => {
    const previous = others[at - 1]
    if (previous === undefined) return false
    const { text, begins } = wordOf(previous)
    const mayBeFlag = text === null ? /^(?:-\w*)?$/.test(begins) : /^-\w*p$/.test(text)
    return mayBeFlag && !isName(word, known)
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

/** One word of `find` that may become several, `-exec` and a program among them. */
function mayBecomeFlags({ text, parts = [] }: Word): boolean {
  return parts.some(({ type }) =>
    type === 'BraceExpansion'
      ? /[{,][-$`]/.test(text)
      : /^(?:SimpleExpansion|ParameterExpansion|CommandExpansion)$/.test(type),
  )
}

/** `[ -v name ]`, also where a word may turn out to be `-v`. */
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
  if (maySplit(first, known)) return true
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

/** With `-i` bash reads every value as arithmetic, with `-n` as a name, with `-a` a value in brackets as a list. */
function declares({ words, assignments }: Builtin, { arrays }: Known): boolean {
  const texts = words.map(word => wordOf(word).text)
  const isRun = (text: string | null) =>
    text === null || /^-\w*[in]|[[(]/.test(text) || isInteger(text.split('=')[0] ?? '')
  if (texts.some(isRun)) return true
  const isList = texts.some(text => ARRAY_FLAG.test(text ?? ''))
  return assignments.some(
    ({ name, value }) => mayBeList(value) && (isList || arrays.has(name) || BASH_ARRAYS.test(name)),
  )
}

/** `export` and `readonly` know `-a` as well; a word that is known only later may be it. */
function exportsList({ words, assignments }: Builtin, known: Known): boolean {
  if (words.some(word => maySplit(word, known))) return true
  const flags = words.filter(word => {
    const { text, begins } = wordOf(word)
    return ARRAY_FLAG.test(text ?? '') || (text === null && /^(?:-\w*)?$/.test(begins))
  })
  if (flags.length === 0) return false
  const values = words.filter(word => word !== flags[0]).map(wordOf)
  return (
    assignments.some(({ value }) => mayBeList(value)) ||
    values.some(({ text }) => text === null || text.includes('('))
  )
}

function mayBeList(value: Assignment['value']): boolean {
  if (value.type !== 'Word') return false
  const { text } = wordOf(value)
  return text === null || text.startsWith('(')
}

const ARRAY_FLAG = /^-\w*[aA]/
const BASH_ARRAYS = /^(?:BASH_\w+|COMP\w+|COPROC|DIRSTACK|FUNCNAME|GROUPS|MAPFILE|PIPESTATUS)$/
