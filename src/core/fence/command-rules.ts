// Compares the brackets of a rule about commands, `Bash(docker restart:*)`, with one simple command of a shell line.
import { matchesGlob } from './glob.ts'
import { isKnownToWrite, isReadOnly } from './read-only-commands.ts'
import { programOf, type ShellCommand, type ShellWord } from './shell-line.ts'

/**
 * A deny rule, read widely: the program counts without its directory, options between the words of the rule hide
 * nothing, and a word that is known only when the command runs may be the one that is forbidden.
 */
export function deniesCommand(scope: string, command: ShellCommand): boolean {
  const program = programOf(command)
  if (program === null) return false
  const prefix = prefixOf(scope)
  if (prefix === null) return globMayFit(scope, [program, ...command.words.slice(1).map(known)])
  const [name = '', ...words] = prefix
  if (name !== '' && name.slice(name.lastIndexOf('/') + 1) !== program) return false
  return words.length === 0 || beginsWide(words, command)
}

/** An allow rule, read narrowly: exactly its words, no variable set, no file written, no flag or operand that is known to write. */
export function allowsCommand(scope: string, command: ShellCommand): boolean {
  if (!leavesNothing(command)) return false
  const prefix = prefixOf(scope)
  if (prefix === null) {
    const texts = command.words.map(({ text }) => text)
    if (texts.includes(null) || !matchesGlob(scope, texts.join(' '))) return false
    const [start = ''] = scope.split('*')
    return start === scope || !isKnownToWrite(command, start.split(' ').length - 1)
  }
  const isSame = prefix.every((word, at) => command.words[at]?.text === word)
  return isSame && !isKnownToWrite(command, prefix.length)
}

/** Commands that no rule needs to name: they only read, or do nothing. */
export function onlyLooks(command: ShellCommand): boolean {
  return leavesNothing(command) && (command.words.length === 0 || isReadOnly(command))
}

/** The command redirects into no file and sets no variable that programs read. */
export function leavesNothing({ sets, writesTo }: ShellCommand): boolean {
  const writes = writesTo.some(({ text }) => text === null || !HARMLESS_TARGETS.has(text))
  return !writes && sets.every(name => /^[a-z_][a-z0-9_]*$/.test(name))
}

const HARMLESS_TARGETS: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr'])

/** `docker restart:*` and `docker restart *` match every command that begins with these words; `null`: another pattern. */
function prefixOf(scope: string): readonly string[] | null {
  const [start, ...more] = scope.split('*')
  if (start === undefined || more.length !== 1 || more[0] !== '') return null
  return /[: ]$/.test(start) ? start.slice(0, -1).trim().split(/\s+/) : null
}

function beginsWide(prefix: readonly string[], { words, hasMoreWords }: ShellCommand): boolean {
  let at = 1
  let afterOption = false
  for (const wanted of prefix) {
    for (;;) {
      const word = words[at]
      if (word === undefined) return hasMoreWords
      at += 1
      if (word.text === wanted) break
      if (word.text === null && !afterOption && wanted.startsWith(word.begins)) break
      // Skips an option and its value, where it has one.
      const isOption = word.begins.startsWith('-')
      if (!isOption && !afterOption) return false
      afterOption = isOption && !word.begins.includes('=')
    }
    afterOption = false
  }
  return true
}

const known = ({ text, begins }: ShellWord) => text ?? `${begins}*`

/** Where a word is not known, the beginning decides. */
function globMayFit(pattern: string, words: readonly string[]): boolean {
  const text = words.join(' ')
  const open = text.indexOf('*')
  if (open === -1 || matchesGlob(pattern, text)) return matchesGlob(pattern, text)
  const [head, start] = [pattern.split('*')[0] ?? '', text.slice(0, open)]
  return head.startsWith(start) || start.startsWith(head)
}
