// The log of a run as lines: what the agent said and did, bounded, folded from its events.
import type { RunEvent } from '../../src/core/run/run-events.ts'
import { eventLine } from './event-line.ts'
import { type Reported, reportedWith } from './token-rate.ts'

export type LogLine = {
  readonly seq: number
  readonly at: number
  readonly kind: 'said' | 'did' | 'bad' | 'note'
  readonly text: string
}

export type RunLog = {
  /** The `seq` of the last event that is part of it. */
  readonly seq: number
  /** When that event was stored; `null` before the first. */
  readonly lastAt: number | null
  readonly lines: readonly LogLine[]
  /** How many lines were left out at the start. */
  readonly leftOut: number
  /** What the agent's requests of the last minutes have used. */
  readonly reported: readonly Reported[]
}

export const NO_LOG: RunLog = { seq: 0, lastAt: null, lines: [], leftOut: 0, reported: [] }

const MOST_LINES = 300
const MOST_CHARS = 1_000

/** Events that were counted already change nothing. */
export function logWith(log: RunLog, events: readonly RunEvent[]): RunLog {
  const lines = [...log.lines]
  let { seq, lastAt, reported } = log
  for (const event of events) {
    if (event.seq <= seq) continue
    seq = event.seq
    lastAt = event.at
    reported = reportedWith(reported, event)
    add(lines, event)
  }
  const over = Math.max(0, lines.length - MOST_LINES)
  const leftOut = log.leftOut + over
  return { seq, lastAt, lines: over > 0 ? lines.slice(over) : lines, leftOut, reported }
}

function add(lines: LogLine[], event: RunEvent): void {
  const kind = kindOf(event)
  if (kind === null) return
  const last = lines.at(-1)
  // Text comes in pieces: they are one line until something else happens.
  if (event.type === 'text' && last?.kind === 'said') {
    const text = (last.text + event.text).slice(0, MOST_CHARS)
    lines[lines.length - 1] = { ...last, text }
    return
  }
  const text = event.type === 'text' ? event.text.slice(0, MOST_CHARS) : eventLine(event)
  if (text.trim() !== '') lines.push({ seq: event.seq, at: event.at, kind, text })
}

function kindOf(event: RunEvent): LogLine['kind'] | null {
  switch (event.type) {
    case 'text':
      return 'said'
    case 'tool':
      return 'did'
    case 'tool-result':
      return event.isError ? 'bad' : null
    case 'ended':
      if (event.status === 'completed') return 'did'
      return event.status === 'failed' ? 'bad' : 'note'
    case 'queued':
    case 'fallback':
    case 'supervised':
    case 'retry':
    case 'limit':
    case 'notice':
    case 'question':
    case 'answer':
    case 'compacted':
      return 'note'
    default:
      return null
  }
}
