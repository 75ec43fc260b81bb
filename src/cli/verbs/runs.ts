// reprise runs: list, show, events, prompt, cancel.
import type { Reprise } from '../../api.ts'
import { mainText } from '../../core/calls/tool-summary.ts'
import type { Question } from '../../core/conversation/question.ts'
import type { Run, RunStatus } from '../../core/run/run.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import { trustWords } from '../../core/run/trust.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { type Column, cut, printJson, printLine, table, usd, when } from '../view/print.ts'
import { sanitise, sanitiseLine } from '../view/sanitise.ts'
import { summaryOf } from '../view/stream-turn.ts'

export type RunListFlags = JsonFlag & {
  readonly thread?: string
  readonly status?: RunStatus
  readonly limit: number
  readonly cursor?: string
}

export async function listRuns(io: Io, flags: RunListFlags): Promise<number> {
  return withReprise(io, async reprise => {
    const runs = await reprise.runs.list({
      limit: flags.limit,
      ...(flags.thread !== undefined && { threadId: flags.thread }),
      ...(flags.status !== undefined && { status: flags.status }),
      ...(flags.cursor !== undefined && { cursor: flags.cursor }),
    })
    if (flags.json) printJson(io, runs)
    else if (runs.length === 0) io.stderr.write('no runs\n')
    else io.stdout.write(table(runs, RUN_COLUMNS))
    return 0
  })
}

const RUN_COLUMNS: readonly Column<Run>[] = [
  { title: 'run', cell: run => run.id },
  { title: 'queued', cell: run => when(run.queuedAt) },
  { title: 'thread', cell: run => run.threadId ?? '–' },
  { title: 'agent', cell: run => run.agent },
  { title: 'status', cell: run => run.status },
  { title: 'decision', cell: run => run.decision?.action ?? '–' },
  { title: 'cost', cell: run => usd(run.costUsd), align: 'right' },
]

type ShownRun = Awaited<ReturnType<Reprise['runs']['get']>>

export async function showRun(io: Io, runId: string, flags: JsonFlag): Promise<number> {
  return withReprise(io, async reprise => {
    const run = await reprise.runs.get(runId)
    const questions = run.questions === 'ask' ? await reprise.runs.questions(runId) : []
    if (flags.json) printJson(io, { ...run, ...(questions.length > 0 && { asked: questions }) })
    else for (const line of [...linesOf(run), ...questions.map(askedLine)]) printLine(io, line)
    return 0
  })
}

function linesOf(run: ShownRun): readonly string[] {
  const facts: readonly (readonly [string, string | null])[] = [
    ['run', run.id],
    ['status', run.status],
    ['queued', run.waitsFor?.words ?? null],
    ['thread', run.threadId],
    ['agent', run.agent],
    ['model', run.model],
    ['work dir', run.workDir],
    ['session', run.sessionId],
    ['trust', trustWords(run.trust)],
    ['sandbox', run.sandbox],
    ['no sandbox', run.sandboxNote],
    ['continued by', run.continuedBy],
    ['started', when(run.startedAt)],
    ['ended', when(run.endedAt)],
    ['result', summaryOf(run)],
    ['failure', run.failure && `${run.failure.class}: ${run.failure.message}`],
    ['hint', run.failure?.hint ?? null],
  ]
  const lines = facts.flatMap(([name, value]) => {
    return value === null ? [] : [`${name.padEnd(13)}${sanitiseLine(value)}`]
  })
  return [...lines, ...errorOutputOf(run)]
}

function askedLine({ toolUseId, tool, items, input, state }: Question): string {
  const what = items.map(item => item.question).join(' ') || `${tool} ${mainText(input)}`
  return `${`asked (${state})`.padEnd(13)} ${toolUseId}  ${cut(sanitiseLine(what), 120)}`
}

/** The last lines of stderr, which usually say why a program failed. */
function errorOutputOf({ failure, exit }: Run): readonly string[] {
  const lines = (exit?.stderr ?? '').trimEnd().split('\n')
  if (failure === null || lines.join('') === '') return []
  const shown = lines.slice(-STDERR_LINES)
  const left = lines.length - shown.length
  return [
    left > 0 ? `stderr, its last ${shown.length} lines:` : 'stderr:',
    ...shown.map(line => `  ${cut(sanitiseLine(line), 500)}`),
  ]
}

const STDERR_LINES = 10

export type EventFlags = JsonFlag & { readonly after: number }

export async function showEvents(io: Io, runId: string, flags: EventFlags): Promise<number> {
  return withReprise(io, async reprise => {
    const events = await reprise.runs.events(runId, flags.after)
    if (flags.json) printJson(io, events)
    else for (const event of events) printLine(io, lineOf(event))
    return 0
  })
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
