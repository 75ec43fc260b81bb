// Words of a shell line as far as they are known before it runs.
import type { Assignment, Command, Word, WordPart } from 'unbash'
import type { ShellWord } from '../core/fence/shell-line.ts'

export function wordOf({ value, parts }: Pick<Word, 'value' | 'parts'>): ShellWord {
  if (parts === undefined) return { text: value, begins: value }
  let begins = ''
  for (const part of parts) {
    const known = knownText(part)
    begins += known.text
    if (!known.isWhole) return { text: null, begins }
  }
  return { text: begins, begins }
}

export type Builtin = {
  readonly name: string | null
  readonly words: readonly Word[]
  readonly assignments: readonly Assignment[]
}

/** The command without `command` and `builtin` before it. */
export function builtinOf({ name, args }: Command): Builtin {
  const assignments = args.filter(part => part.type === 'Assignment')
  const words = [...(name ? [name] : []), ...args.filter(part => part.type === 'Word')]
  let at = 0
  while (/^(?:command|builtin)$/.test(words[at]?.value ?? '')) {
    at += 1
    while (words[at]?.value.startsWith('-')) at += 1
  }
  const first = words[at]
  return { name: first ? wordOf(first).text : null, words: words.slice(at + 1), assignments }
}

type Known = { readonly text: string; readonly isWhole: boolean }

function knownText(part: WordPart): Known {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return { text: part.value, isWhole: true }
    case 'DoubleQuoted':
    case 'LocaleString': {
      const inner = part.parts.map(knownText)
      const stops = inner.findIndex(({ isWhole }) => !isWhole)
      const known = stops === -1 ? inner : inner.slice(0, stops + 1)
      return { text: known.map(({ text }) => text).join(''), isWhole: stops === -1 }
    }
    default:
      return { text: '', isWhole: false }
  }
}
