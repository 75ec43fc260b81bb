// reprise threads: list, show, edit, truncate, select, fork, rename, remove.

import type { ThreadDetails } from '../../api.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { ThreadFilter, ThreadImport, ThreadSummary } from '../../core/conversation/thread.ts'
import type { MessageVersions } from '../../core/conversation/versions.ts'
import { workspaceWords } from '../../core/run/workspace.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { findMessage } from '../flags/message-reference.ts'
import { promptFrom } from '../flags/prompt-input.ts'
import { withReprise } from '../open/open.ts'
import { type Io, paint } from '../start/io.ts'
import { canAsk, confirm, type YesFlag } from '../view/confirm.ts'
import { type Column, costOf, cut, printJson, printLine, usd } from '../view/print.ts'
import { type PageFlags, printPage } from '../view/print-list.ts'
import { printRemoved } from '../view/print-removed.ts'
import { sanitise, sanitiseLine } from '../view/sanitise.ts'

export type ListFlags = PageFlags &
  Omit<ThreadFilter, 'text' | 'since'> & { readonly query?: string }

export async function listThreads(io: Io, flags: ListFlags): Promise<number> {
  const { json, limit: _, query, cursor, ...rest } = flags
  const filter: ThreadFilter = { ...rest, ...(query !== undefined && { text: query }) }
  const isAll = Object.keys(filter).length === 0 && cursor === undefined
  const empty = isAll
    ? 'no threads yet; start one with `reprise send`'
    : 'no more threads like that'
  return withReprise(io, async reprise => {
    const list = (limit: number) => reprise.threads.list({ ...filter, cursor, limit })
    const more = json ? { total: await reprise.threads.count(filter) } : {}
    return printPage(io, list, { ...flags, columns: THREAD_COLUMNS, empty, more })
  })
}

const THREAD_COLUMNS: readonly Column<ThreadSummary>[] = [
  { title: 'thread', id: thread => thread.id },
  { title: 'updated', time: thread => thread.updatedAt },
  { title: 'agent', cell: thread => thread.agent },
  { title: 'turns', cell: thread => String(thread.turnCount), align: 'right' },
  { title: 'cost', cell: threadCost, align: 'right' },
  { title: 'last run', cell: thread => thread.lastRun?.status ?? '–' },
  { title: 'title', text: thread => thread.title ?? '' },
]

/** Nothing in sum, although there were runs: their cost is not known. */
function threadCost({ costUsd, turnCount }: ThreadSummary): string {
  return costUsd === 0 && turnCount > 0 ? '–' : usd(costUsd)
}

export async function showThread(io: Io, threadId: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const thread = await (await reprise.threads.get(threadId)).show()
    if (flags.json) printJson(io, thread)
    else printThread(io, thread)
    return 0
  })
}

export function printThread(io: Io, thread: ThreadDetails): void {
  const bold = paint(io, io.stdout, 'bold')
  const dim = paint(io, io.stdout, 'dim')
  printLine(io, `${bold(thread.id)} ${sanitiseLine(thread.title ?? '')}`.trimEnd())
  const { workspace, workDir } = thread
  const from = workspace ? `${workspaceWords(workspace)} in ` : ''
  const place = sanitiseLine(`${from}${workDir}`)
  const known = costOf(thread.costUsd, thread.runs)
  const cost = known === '–' ? 'cost unknown' : known
  const host = thread.host ?? thread.runs.at(-1)?.host ?? null
  const on = host === null ? '' : ` on ${sanitiseLine(host)}`
  printLine(io, dim(`${thread.agent} · ${place}${on} · view ${thread.view} · ${cost}`))
  if (thread.imported) printLine(io, dim(importWords(thread.imported)))
  if (thread.instructions)
    printLine(io, dim(`instructions: ${cut(sanitiseLine(thread.instructions), 100)}`))
  const decisions = new Map(thread.runs.map(run => [run.id, run.decision?.action ?? run.status]))
  thread.messages.forEach((message, index) => {
    const who = message.role === 'user' ? 'you' : (message.agent ?? 'agent')
    const how = message.role === 'assistant' ? runOf(message, decisions) : ''
    printLine(io, `\n${bold(`#${index + 1} ${who}`)} ${dim(`${message.id}${how}`)}`)
    printLine(io, sanitise(message.text))
    if (message.interrupted) printLine(io, dim('(interrupted)'))
    if (message.versions) printLine(io, dim(versionWords(message.versions)))
  })
}

function importWords({ approvedAt, signature }: ThreadImport): string {
  const from = signature === 'own' ? 'from a file of this store' : 'from a file of another store'
  return `${from}; ${approvedAt === null ? 'only data until `reprise threads approve`' : 'approved'}`
}

function versionWords({ position, count, previousId, nextId }: MessageVersions): string {
  const before = previousId === null ? '' : `; before it ${previousId}`
  const after = nextId === null ? '' : `; after it ${nextId}`
  return `(version ${position} of ${count}${before}${after})`
}

function runOf(message: Message, decisions: ReadonlyMap<string, string>): string {
  if (message.runId === null) return ''
  return ` · ${decisions.get(message.runId) ?? 'run'} · ${message.runId}`
}

export async function editMessage(
  io: Io,
  threadId: string,
  reference: string,
  argument: string | undefined,
  flags: JsonFlag,
): Promise<number> {
  const text = await promptFrom(io, argument)
  return withReprise(io, async reprise => {
    const thread = await reprise.threads.get(threadId)
    const message = findMessage((await thread.show()).messages, reference)
    const edited = await thread.edit(message.id, text)
    if (flags.json) printJson(io, edited)
    else printLine(io, `${message.id} is now ${edited.id}; later messages stay`)
    return 0
  })
}

export async function truncateThread(
  io: Io,
  threadId: string,
  reference: string,
  flags: JsonFlag,
): Promise<number> {
  return withReprise(io, async reprise => {
    const thread = await reprise.threads.get(threadId)
    const message = findMessage((await thread.show()).messages, reference)
    await thread.truncate(message.id)
    const after = await thread.show()
    if (flags.json) printJson(io, after)
    else printLine(io, `${threadId} now has ${after.messages.length} messages`)
    return 0
  })
}

export async function selectVersion(
  io: Io,
  threadId: string,
  messageId: string,
  flags: JsonFlag,
): Promise<number> {
  return withReprise(io, async reprise => {
    const thread = await (await reprise.threads.get(threadId)).select(messageId)
    if (flags.json) printJson(io, thread)
    else printThread(io, thread)
    return 0
  })
}

export type ForkFlags = JsonFlag & { readonly at?: string; readonly title?: string }

export async function forkThread(io: Io, threadId: string, flags: ForkFlags): Promise<number> {
  return withReprise(io, async reprise => {
    const thread = await reprise.threads.get(threadId)
    const { messages } = await thread.show()
    const fork = await thread.fork({
      ...(flags.at !== undefined && { at: findMessage(messages, flags.at).id }),
      ...(flags.title !== undefined && { title: flags.title }),
    })
    if (flags.json) printJson(io, await fork.show())
    else printLine(io, fork.id)
    return 0
  })
}

export async function renameThread(
  io: Io,
  threadId: string,
  words: readonly string[],
  flags: JsonFlag,
): Promise<number> {
  return withReprise(io, async reprise => {
    const thread = await reprise.threads.rename(threadId, words.join(' '))
    if (flags.json) printJson(io, thread)
    else printLine(io, `${thread.id} is now: ${thread.title}`)
    return 0
  })
}

export async function threadsRemove(
  io: Io,
  threadId: string,
  flags: JsonFlag & YesFlag,
): Promise<number> {
  return withReprise(io, async reprise => {
    const thread = await reprise.threads.get(threadId)
    if (canAsk(io, flags)) await confirm(io, removeQuestion(await thread.show()))
    const { id, ...removed } = await thread.remove()
    if (flags.json) printJson(io, { id, ...removed })
    else {
      printLine(io, `removed ${id}`)
      printRemoved(io, removed.checkpoints)
    }
    return 0
  })
}

function removeQuestion({ title, messages }: ThreadDetails): string {
  const what = title === null ? 'this thread' : `"${cut(sanitiseLine(title), 50)}"`
  return `Remove ${what} with its ${messages.length} messages, for ever?`
}
