// reprise runs: list, show, events, prompt, cancel.
import type { Reprise } from '../../api.ts'
import type { Run, RunStatus } from '../../core/run/run.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import type { SentPrompt } from '../../core/run/sent-prompt.ts'
import { RepriseError } from '../../errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { type Column, cut, printJson, printLine, usd } from '../view/print.ts'
import { type PageFlags, printPage } from '../view/print-list.ts'
import { printRun } from '../view/print-run.ts'
import { sanitise, sanitiseLine } from '../view/sanitise.ts'

export type RunListFlags = PageFlags & {
  readonly thread?: string
  readonly chain?: string
  readonly job?: string
  readonly status?: RunStatus
}

export async function listRuns(io: Io, flags: RunListFlags): Promise<number> {
  const { thread: threadId, chain: chainId, job: jobId, status, since, cursor } = flags
  return withReprise(io, reprise => {
    const list = (limit: number) =>
      reprise.runs.list({ threadId, chainId, jobId, status, since, cursor, limit })
    return printPage(io, list, { ...flags, columns: RUN_COLUMNS, empty: 'no runs' })
  })
}

const RUN_COLUMNS: readonly Column<Run>[] = [
  { title: 'run', id: run => run.id },
  { title: 'queued', time: run => run.queuedAt },
  { title: 'thread', id: run => run.threadId },
  { title: 'agent', cell: run => run.agent },
  { title: 'status', cell: run => run.status },
  { title: 'decision', cell: run => run.decision?.action ?? '–' },
  { title: 'cost', cell: run => usd(run.costUsd), align: 'right' },
]

export async function showRun(io: Io, runId: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const run = await reprise.runs.get(runId)
    const questions = run.questions === 'ask' ? await reprise.runs.questions(runId) : []
    if (flags.json) printJson(io, { ...run, ...(questions.length > 0 && { asked: questions }) })
    else printRun(io, run, { questions, prompt: await promptOf(reprise, runId) })
    return 0
  })
}

/** A run that waits in the queue was not told anything yet. */
async function promptOf(reprise: Reprise, runId: string): Promise<SentPrompt | null> {
  try {
    return await reprise.runs.prompt(runId)
  } catch (error) {
    if (error instanceof RepriseError && error.code === 'not-found') return null
    throw error
  }
}

export type EventFlags = JsonFlag & { readonly after: number; readonly limit: number }

export async function showEvents(io: Io, runId: string, flags: EventFlags): Promise<number> {
  return withReprise(io, async reprise => {
    const { after, limit } = flags
    const events = await reprise.runs.events(runId, after, limit)
    if (flags.json) printJson(io, await eventPage(reprise, { runId, events, limit }))
    else for (const event of events) printLine(io, lineOf(event))
    return 0
  })
}

/** As over HTTP: `nextCursor` goes into `--after`, and `ended` says that no event will follow. */
async function eventPage(
  reprise: Reprise,
  page: { readonly runId: string; readonly events: readonly RunEvent[]; readonly limit: number },
) {
  const { runId, events, limit } = page
  const { endedAt } = await reprise.runs.get(runId)
  const isFull = events.length === limit
  const nextCursor = isFull ? String(events.at(-1)?.seq) : null
  return { items: events, nextCursor, ended: endedAt !== null && !isFull }
}

function lineOf({ runId: _, seq, at: __, ...body }: RunEvent): string {
  const fields = cut(sanitiseLine(JSON.stringify(body)), 160)
  return `${String(seq).padStart(5)}  ${sanitise(body.type).padEnd(12)}  ${fields}`
}

export async function showPrompt(io: Io, runId: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const prompt = await reprise.runs.prompt(runId)
    if (flags.json) printJson(io, prompt)
    else {
      io.stderr.write(`arguments: ${sanitiseLine(prompt.arguments.join(' '))}\n`)
      printLine(io, sanitise(prompt.text))
      if (prompt.truncated) io.stderr.write(`cut: the whole prompt has ${prompt.bytes} bytes\n`)
    }
    return 0
  })
}

export async function cancelRun(io: Io, runId: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const run = await reprise.runs.cancel(runId)
    if (flags.json) printJson(io, run)
    else printLine(io, `${run.id} is ${run.status}`)
    return 0
  })
}
