// Shows a question or a permission in the terminal and reads the answer: a number, a word or a sentence.
import type { AskedCall, GivenAnswer, QuestionItem } from '../../core/conversation/question.ts'
import { type Io, paint } from '../start/io.ts'
import { cut } from '../view/print.ts'
import { sanitise, sanitiseLine } from '../view/sanitise.ts'
import type { Terminal } from './terminal.ts'

export type AskedAnswer = GivenAnswer | 'interrupt' | 'end'

const MAX_INPUT_CHARS = 1_000

/** The user's answer; `interrupt` (Ctrl-C) and `end` (Ctrl-D) mean that the user does not want to answer. */
export async function askUser(io: Io, terminal: Terminal, asked: AskedCall): Promise<AskedAnswer> {
  await terminal.forgetTyped()
  if (asked.kind === 'permission') return askPermission(io, terminal, asked)
  const content: Record<string, string> = {}
  for (const item of asked.items) {
    showItem(io, item)
    const typed = await askNonEmpty(terminal, 'answer ▸ ')
    if (typeof typed !== 'object') return typed
    content[item.question] = chosenText(item, typed.text)
  }
  return { content }
}

function showItem(io: Io, item: QuestionItem): void {
  const bold = paint(io, io.stderr, 'bold')
  const dim = paint(io, io.stderr, 'dim')
  io.stderr.write(`${bold(`? ${sanitise(item.question)}`)}\n`)
  item.options.forEach(({ label, description }, index) => {
    const more = description ? dim(` – ${sanitiseLine(description)}`) : ''
    io.stderr.write(`  ${index + 1} ${sanitiseLine(label)}${more}\n`)
  })
  const how = item.multiSelect ? 'numbers separated by commas' : 'a number'
  if (item.options.length > 0) io.stderr.write(`${dim(`  ${how}, or your own words`)}\n`)
}

/** Turns `2`, or `1,3` where several may be chosen, into the labels; any other text stays as it is. */
export function chosenText({ options, multiSelect }: QuestionItem, text: string): string {
  const numbers = text.split(',').map(part => part.trim())
  if (numbers.length > 1 && !multiSelect) return text
  const labels = numbers.map(number =>
    /^\d+$/.test(number) ? options[Number(number) - 1]?.label : undefined,
  )
  return labels.includes(undefined) ? text : labels.join(', ')
}

async function askPermission(io: Io, terminal: Terminal, asked: AskedCall): Promise<AskedAnswer> {
  const bold = paint(io, io.stderr, 'bold')
  io.stderr.write(`${bold(`? May it use ${sanitiseLine(asked.tool)}?`)}\n`)
  io.stderr.write(`  ${sanitiseLine(cut(asked.input, MAX_INPUT_CHARS))}\n`)
  const typed = await askNonEmpty(terminal, 'y, n, or n and why ▸ ')
  if (typeof typed !== 'object') return typed
  return permissionOf(typed.text)
}

/** Only a plain yes is a yes. */
export function permissionOf(text: string): GivenAnswer {
  if (/^(y|yes)$/i.test(text)) return { allow: true }
  const why = text.replace(/^(no|n)\b[\s,:]*/i, '')
  return { allow: false, ...(why && { message: why }) }
}

async function askNonEmpty(
  terminal: Terminal,
  prompt: string,
): Promise<{ readonly text: string } | 'interrupt' | 'end'> {
  for (;;) {
    const typed = await terminal.ask(prompt)
    if (typed.kind !== 'line') return typed.kind
    if (typed.text.trim() !== '') return { text: typed.text.trim() }
  }
}
