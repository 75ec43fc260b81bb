// Shows a turn while it runs: prints the answer on stdout, the progress and the summary on stderr.

import type { Turn, TurnResult } from '../../api.ts'
import { wordsOf } from '../../core/decide/explain.ts'
import type { Run } from '../../core/run/run.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import { exitCodeOf } from '../start/exit-code.ts'
import { type Io, paint } from '../start/io.ts'
import { createProgressLine } from '../terminal/progress-line.ts'
import { columnsOf, cutToWidth } from '../terminal/width.ts'
import { progressOf } from './event-words.ts'
import { count, printJson, usd } from './print.ts'
import { printTrouble } from './print-trouble.ts'
import { safeJson, sanitiseLine } from './sanitise.ts'
import { createTextWriter } from './text-writer.ts'
import { createTurnView } from './turn-view.ts'

export type TurnOutput = 'text' | 'json' | 'stream-json'

/** When a parent passes Ctrl-C on, it arrives twice. Two signals within this time count as one request. */
const SAME_REQUEST_MS = 300

/** Handles a question: `wait` until it is answered and the turn continues, or `leave` the turn. */
export type OnQuestion = (
  question: Extract<RunEvent, { type: 'question' }>,
) => Promise<'wait' | 'leave'>

export async function streamTurn(
  io: Io,
  turn: Turn,
  output: TurnOutput,
  onQuestion: OnQuestion = async () => 'wait',
): Promise<number> {
  const stopListening = cancelOnRequest(io, turn)
  const { show, breakLine } = output === 'text' ? textViewOf(io) : eventView(io, output)
  const progress = createProgressLine(output === 'text' ? io : {})
  try {
    await turn.submitted
    for await (const event of turn) {
      progress.see(event)
      show(event)
      if (event.type !== 'question') continue
      if ((await onQuestion(event)) === 'leave') return 0
    }
    const result = await turn.result
    progress.end()
    end(io, result, output)
    return exitCodeOf(result.run)
  } finally {
    progress.end()
    // Also when the answer was cut off, so that the next output begins on its own line.
    breakLine()
    stopListening()
  }
}

type View = { readonly show: (event: RunEvent) => void; readonly breakLine: () => void }

/** The first request cancels the turn and waits for its record; the second exits at once. */
export function cancelOnRequest(io: Io, turn: Pick<Turn, 'cancel'>): () => void {
  let cancelledAt: number | null = null
  return io.onStopRequest(() => {
    const now = performance.now()
    if (cancelledAt !== null) {
      if (now - cancelledAt > SAME_REQUEST_MS) io.exitNow(5)
      return
    }
    cancelledAt = now
    if (io.stderr.isTTY) io.stderr.write('\n▸ cancelling; once more to leave at once\n')
    // When the cancel fails, the result of the turn shows it.
    turn.cancel().catch(() => {})
  })
}

function eventView(io: Io, output: 'json' | 'stream-json'): View {
  const print = (event: RunEvent) => {
    io.stdout.write(`${safeJson(event)}\n`)
  }
  return { show: output === 'json' ? () => {} : print, breakLine: () => {} }
}

/** Where the line at the bottom shows what runs, a call gets its own line when it is over. */
function textViewOf(io: Io): View {
  return io.line ? createTurnView(io) : createTextView(io)
}

/** After this time a script hears that its turn waits: the turn before may wait for a person. */
const SAY_WAITING_MS = 1_000

function createTextView(io: Io): View {
  const { say, breakLine } = createTextWriter(io)
  let waiting: NodeJS.Timeout | undefined
  const print = (line: string) => {
    breakLine()
    io.stderr.write(`${paint(io, io.stderr, 'dim')(`▸ ${line}`)}\n`)
  }
  const show = (event: RunEvent) => {
    clearTimeout(waiting)
    if (event.type === 'text') return say(event.text)
    if (event.type === 'tool' || event.type === 'ended') breakLine()
    const line = progressOf(event)
    if (line === null) return
    const words = sanitiseLine(line)
    if (io.stderr.isTTY) print(cutToWidth(words, columnsOf(io.stderr) - 2))
    else if (event.type === 'queued') waiting = setTimeout(print, SAY_WAITING_MS, words)
  }
  return {
    show,
    breakLine: () => {
      clearTimeout(waiting)
      breakLine()
    },
  }
}

function end(io: Io, result: TurnResult, output: TurnOutput): void {
  if (output === 'json') printJson(io, result)
  if (output !== 'text') return
  const { run, threadId } = result
  if (run.failure) printTrouble(io, run.failure)
  io.stderr.write(`thread ${threadId} · run ${run.id}\n`)
  const why = whyNotResumed(run)
  if (why !== null) io.stderr.write(`${why}\n`)
  io.stderr.write(`${summaryOf(run)}\n`)
}

/** One line: decision · tokens · cost, and what was saved, if anything. */
export function summaryOf(run: Run): string {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = run.usage
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  const savedUsd = run.savings?.savedUsd ?? 0
  return [
    run.decision?.action ?? run.status,
    input + outputTokens === 0
      ? unusedWords(run)
      : `${count(input)} in (${count(cacheReadTokens)} cached), ${count(outputTokens)} out`,
    run.costUsd === null ? 'cost unknown' : usd(run.costUsd),
    ...(savedUsd > 0 ? [`saved about ${usd(savedUsd)}`] : []),
  ].join(' · ')
}

/** An agent that says that it cost nothing has used nothing. One that says nothing may have used anything. */
function unusedWords({ costUsd }: Run): string {
  return costUsd === 0 ? 'no tokens' : 'tokens unknown'
}

/** One sentence; `null` for a run that resumed, and for the first run of a thread, which could not. */
export function whyNotResumed({ decision }: Run): string | null {
  if (decision === null || decision.action === 'resume' || decision.action === 'start') return null
  return wordsOf(decision)
}
