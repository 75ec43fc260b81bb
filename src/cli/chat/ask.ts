// Shows a question or a permission in the terminal and reads the answer: a number, a letter or a sentence.
import {
  CHOICE_KEYS,
  deniedFor,
  keysOf,
  permissionChoices,
  readPermission,
} from '../../core/conversation/permission-choices.ts'
import type { AskedCall, GivenAnswer, QuestionItem } from '../../core/conversation/question.ts'
import { readChoice } from '../../core/conversation/question-options.ts'
import { type Io, paint } from '../start/io.ts'
import { printCall } from '../view/print-call.ts'
import { sanitise, sanitiseLine } from '../view/sanitise.ts'
import type { Terminal } from './terminal.ts'

export type AskedAnswer = GivenAnswer | 'interrupt' | 'end'

/** The user's answer; `interrupt` (Ctrl-C) and `end` (Ctrl-D) mean that the user does not want to answer. */
export async function askUser(io: Io, terminal: Terminal, asked: AskedCall): Promise<AskedAnswer> {
  await terminal.forgetTyped()
  if (asked.kind === 'permission') return askPermission(io, terminal, asked)
  const content: Record<string, string> = {}
  for (const item of asked.items) {
    showItem(io, item)
    const chosen = await askItem(io, terminal, item)
    if (typeof chosen !== 'object') return chosen
    content[item.question] = chosen.text
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

async function askItem(
  io: Io,
  terminal: Terminal,
  item: QuestionItem,
): Promise<{ readonly text: string } | 'interrupt' | 'end'> {
  for (;;) {
    const typed = await askNonEmpty(terminal, 'answer ▸ ')
    if (typeof typed !== 'object') return typed
    const read = readChoice(item, typed.text)
    if (read.kind === 'chosen') return read
    sayWhy(io, read.why)
  }
}

async function askPermission(io: Io, terminal: Terminal, asked: AskedCall): Promise<AskedAnswer> {
  showPermission(io, asked)
  for (;;) {
    const typed = await askNonEmpty(terminal, `${keysOf(asked)} ▸ `)
    if (typeof typed !== 'object') return typed
    const read = readPermission(asked, typed.text)
    if (read.kind === 'given') return read.given
    if (read.kind === 'reason') return askReason(terminal)
    sayWhy(io, read.why)
  }
}

function showPermission(io: Io, asked: AskedCall): void {
  const bold = paint(io, io.stderr, 'bold')
  io.stderr.write(`${bold(`? May it use ${sanitiseLine(asked.tool)}?`)}\n`)
  printCall(io, asked)
  for (const { choice, words } of permissionChoices(asked)) {
    io.stderr.write(`${bold(CHOICE_KEYS[choice])} ${sanitiseLine(words)}\n`)
  }
}

async function askReason(terminal: Terminal): Promise<AskedAnswer> {
  const typed = await terminal.ask('why not ▸ ')
  return typed.kind === 'line' ? deniedFor(typed.text).given : typed.kind
}

function sayWhy(io: Io, why: string): void {
  io.stderr.write(`${sanitiseLine(why)}\n`)
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
