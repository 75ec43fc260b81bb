// What a person typed at a question with options: numbers of options, or words of their own.
import type { QuestionItem } from './question.ts'

export type ReadChoice =
  | { readonly kind: 'chosen'; readonly text: string }
  /** Nothing was chosen. `why` says what is wrong and what would be right. */
  | { readonly kind: 'again'; readonly why: string }

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/
/** In quotes, numbers are words. */
const QUOTED_NUMBERS = /^"([\d\s.,+-]+)"$/

/** Turns `2`, or `1,3` where several may be chosen, into the labels. A number that is not an option is never taken as words. */
export function readChoice(item: QuestionItem, typed: string): ReadChoice {
  const { options, multiSelect } = item
  const text = typed.trim()
  const isLabel = options.some(({ label }) => label === text)
  const numbers = text.split(',').map(part => part.trim())
  if (options.length === 0 || !numbers.every(number => NUMBER.test(number))) {
    return { kind: 'chosen', text: QUOTED_NUMBERS.exec(text)?.[1] ?? text }
  }
  const labels = numbers.flatMap(number => options[Number(number) - 1]?.label ?? [])
  const isWhole = labels.length === numbers.length
  if (!isWhole && isLabel) return { kind: 'chosen', text }
  if (isWhole && (numbers.length === 1 || multiSelect)) {
    return { kind: 'chosen', text: labels.join(', ') }
  }
  const unknown = numbers.find(number => options[Number(number) - 1] === undefined)
  const what =
    unknown === undefined ? 'only one option can be chosen' : `${unknown} is not an option`
  return { kind: 'again', why: `${what}: choose ${rangeWords(item)}, or write "${text}" in quotes` }
}

function rangeWords({ options, multiSelect }: QuestionItem): string {
  const range = options.length === 1 ? '1' : `1 to ${options.length}`
  return multiSelect && options.length > 1 ? `${range}, several with commas` : range
}
