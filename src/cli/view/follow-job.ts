// Follows a job on the terminal: prints what the agent says in each attempt, and on stderr why the job waits.
import type { JobDetails, Reprise } from '../../api.ts'
import { type Io, paint, type Sink } from '../start/io.ts'
import { SILENT } from '../terminal/progress.ts'
import { createProgressLine } from '../terminal/progress-line.ts'
import { type Times, timesOf } from '../terminal/time.ts'
import { progressOf } from './event-words.ts'
import { type AttemptEvent, followAttempts } from './follow-attempts.ts'
import { safeJson, sanitise, sanitiseLine } from './sanitise.ts'
import { createTextWriter } from './text-writer.ts'

export type AttemptView = (shown: AttemptEvent) => void

type Following = {
  readonly id: string
  readonly show: AttemptView
  /** How many attempts to leave out, because they were shown before. */
  readonly skip?: number
  /** Where the progress line stands; nowhere with JSON. */
  readonly progressOn?: Pick<Io, 'line'>
}

/** A stop request ends the output, not the job. A second one exits at once, even while the daemon is away. */
export async function followJob(
  io: Io,
  reprise: Reprise,
  { id, show, skip = 0, progressOn = io }: Following,
): Promise<JobDetails> {
  const stop = new AbortController()
  const stopListening = io.onStopRequest(() => {
    if (stop.signal.aborted) io.exitNow(5)
    stop.abort()
  })
  const dim = paint(io, io.stderr, 'dim')
  const progress = createProgressLine(progressOn)
  progress.say(SILENT)
  let lastLine = ''
  const waits = (job: JobDetails) => {
    const line = waitingWords(job, timesOf(io))
    if (line !== lastLine) io.stderr.write(`${dim(`▸ ${sanitiseLine(line)}`)}\n`)
    lastLine = line
    const { nextAttemptAt: dueAt } = job
    progress.say(dueAt === null ? SILENT : { kind: 'due', what: 'next attempt', dueAt, calls: [] })
  }
  const showAttempt: AttemptView = shown => {
    progress.see(shown.event)
    show(shown)
  }
  const listener = { show: showAttempt, waits }
  try {
    return await followAttempts(reprise, { id, skip, signal: stop.signal }, listener)
  } finally {
    progress.end()
    stopListening()
  }
}

function waitingWords({ status, nextAttemptAt, words }: JobDetails, times: Times): string {
  const isLater = nextAttemptAt !== null && nextAttemptAt > Date.now()
  const next = isLater ? `, next attempt at ${times.at(nextAttemptAt)}` : ''
  return `${status}${next}${words === null ? '' : `: ${words}`}`
}

export function jsonView(sink: Sink): AttemptView {
  return ({ event, attempt, prompt }) => {
    const more = { attempt, ...(prompt !== null && { prompt }) }
    sink.write(`${safeJson({ ...event, ...more })}\n`)
  }
}

export function textView(sink: Sink): AttemptView {
  const { say, breakLine } = createTextWriter({ stdout: sink })
  const line = (text: string) => {
    breakLine()
    sink.write(`${sanitiseLine(text)}\n`)
  }
  return ({ event, attempt, prompt }) => {
    if (event.type === 'text') return say(event.text)
    if (event.type === 'tool') return line(`[${progressOf(event)}]`)
    if (event.type === 'started') {
      line(`--- attempt ${attempt}: ${event.runId}, ${event.decision.action}`)
      if (prompt !== null) sink.write(`${sanitise(prompt)}\n`)
      return line('--- answer')
    }
    if (event.type !== 'ended') return
    const why = event.failure ? `, ${event.failure.message}` : ''
    line(`--- attempt ${attempt}: ${event.status}${why}`)
  }
}
