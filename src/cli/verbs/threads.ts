// reprise threads: list, show, edit, truncate, select, fork, rename, remove.
import type { ThreadDetails } from '../../api.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { ThreadFilter } from '../../core/conversation/thread.ts'
import type { MessageVersions } from '../../core/conversation/versions.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { findMessage } from '../flags/message-reference.ts'
import { promptFrom } from '../flags/prompt-input.ts'
import { withReprise } from '../open/open.ts'
import { type Io, paint } from '../start/io.ts'
import { canAsk, confirm, type YesFlag } from '../view/confirm.ts'
import { cut, printJson, printLine, table, usd, when } from '../view/print.ts'
import { printRemoved } from '../view/print-removed.ts'
import { sanitise, sanitiseLine } from '../view/sanitise.ts'

export type ListFlags = JsonFlag &
  Omit<ThreadFilter, 'text'> & {
    readonly query?: string
    readonly limit: number
    readonly cursor?: string
  }

export async function listThreads(io: Io, flags: ListFlags): Promise<number> {
  const { json, limit, query, ...rest } = flags
  return withReprise(io, async reprise => {
    const filter = { ...rest, ...(query !== undefined && { text: query }) }
    const threads = await reprise.threads.list({ limit, ...filter })
    if (json) printJson(io, threads)
    else if (threads.length === 0)
      io.stderr.write(
        Object.keys(filter).length === 0
          ? 'no threads yet; start one with `reprise send`\n'
          : 'no more threads like that\n',
      )
    else io.stdout.write(table(threads, THREAD_COLUMNS))
    return 0
  })
}

const THREAD_COLUMNS: Parameters<typeof table<ThreadRow>>[1] = [
  { title: 'thread', cell: thread => thread.id },
  { title: 'updated', cell: thread => when(thread.updatedAt) },
  { title: 'agent', cell: thread => thread.agent },
  { title: 'turns', cell: thread => String(thread.turnCount), align: 'right' },
  { title: 'cost', cell: thread => usd(thread.costUsd), align: 'right' },
  { title: 'last run', cell: thread => thread.lastRun?.status ?? '–' },
  { title: 'title', cell: thread => thread.title ?? '', max: 48 },
]

type ThreadRow = import('../../core/conversation/thread.ts').ThreadSummary

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
  const place = sanitiseLine(thread.workDir)
  printLine(io, dim(`${thread.agent} · ${place} · view ${thread.view} · ${usd(thread.costUsd)}`))
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
    if (flags.json) printJson(io, { removed: id, ...removed })
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
