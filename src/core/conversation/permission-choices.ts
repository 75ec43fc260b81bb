// How a person answers a permission: the choices in words, and what was typed at them.
import type { AskedCall, GivenAnswer } from './question.ts'

export type PermissionChoice = 'once' | 'run' | 'deny' | 'why'

/** The same words on the terminal and in the dashboard. */
export const CHOICE_WORDS: Readonly<Record<PermissionChoice, string>> = {
  once: 'Allow once',
  run: 'Allow for this run',
  deny: 'Deny',
  why: 'Deny with a reason',
}

/** What can be chosen, with what exactly it allows where that is more than this call. */
export function permissionChoices({ rule }: Pick<AskedCall, 'rule'>): readonly {
  readonly choice: PermissionChoice
  readonly words: string
}[] {
  return [
    { choice: 'once', words: CHOICE_WORDS.once },
    ...(rule ? [{ choice: 'run' as const, words: `${CHOICE_WORDS.run}: ${rule.words}` }] : []),
    { choice: 'deny', words: CHOICE_WORDS.deny },
    { choice: 'why', words: CHOICE_WORDS.why },
  ]
}

/** What is typed for a choice. */
export const CHOICE_KEYS: Readonly<Record<PermissionChoice, string>> = {
  once: 'y',
  run: 'r',
  deny: 'n',
  why: 'w',
}

export type ReadPermission =
  | { readonly kind: 'given'; readonly given: GivenAnswer }
  /** The person wants to say why not, and has not said it yet. */
  | { readonly kind: 'reason' }
  /** Nothing was chosen. `why` says what is wrong and what would be right. */
  | { readonly kind: 'again'; readonly why: string }

/** Only a plain yes is a yes. Words of one's own are a reason to deny. */
export function readPermission(asked: Pick<AskedCall, 'rule'>, typed: string): ReadPermission {
  const text = typed.trim()
  if (/^(y|yes)$/i.test(text)) return given({ allow: true })
  if (/^(r|run)$/i.test(text)) {
    if (asked.rule) return given({ allow: true, for: 'run' })
    return { kind: 'again', why: `this call can be allowed only once: type ${keysOf(asked)}` }
  }
  if (/^(w|why)$/i.test(text)) return { kind: 'reason' }
  if (/^(n|no)\b/i.test(text)) return deniedFor(text.replace(/^(no|n)\b[\s,:]*/i, ''))
  if (/^(.|[+-]?[\d.,\s]+|(y|yes|yeah|yep|ok|okay|sure|allow|run)\b.*)$/isu.test(text)) {
    const why = `${JSON.stringify(text)} is not a choice: type ${keysOf(asked)}, or a sentence that says why not`
    return { kind: 'again', why }
  }
  return deniedFor(text)
}

export function deniedFor(reason: string): Extract<ReadPermission, { kind: 'given' }> {
  const message = reason.trim()
  return given({ allow: false, ...(message && { message }) })
}

/** `y, r, n or w` */
export function keysOf(asked: Pick<AskedCall, 'rule'>): string {
  const keys = permissionChoices(asked).map(({ choice }) => CHOICE_KEYS[choice])
  return `${keys.slice(0, -1).join(', ')} or ${keys.at(-1)}`
}

function given(answer: GivenAnswer): Extract<ReadPermission, { kind: 'given' }> {
  return { kind: 'given', given: answer }
}
