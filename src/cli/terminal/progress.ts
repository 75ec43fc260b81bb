// What an agent is doing right now, from its events: the words of the progress line. It knows no clock and no terminal.
import { mainText } from '../../core/calls/tool-summary.ts'
import { durationWords } from '../../core/duration-words.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import { sanitiseLine } from '../view/sanitise.ts'

type RunningCall = { readonly id: string; readonly what: string; readonly at: number }

export type Progress =
  /** Nothing to say: the answer is coming, a person is asked, or all is over. */
  | { readonly kind: 'silent'; readonly calls: readonly RunningCall[] }
  | {
      readonly kind: 'waiting'
      readonly what: string
      readonly since: number
      readonly calls: readonly RunningCall[]
    }
  | {
      readonly kind: 'due'
      readonly what: string
      readonly dueAt: number
      readonly calls: readonly RunningCall[]
    }

export const SILENT: Progress = { kind: 'silent', calls: [] }

const FOR_AGENT = 'waiting for the agent'

/** Before the first event of a turn. */
export function progressFrom(now: number): Progress {
  return { kind: 'waiting', what: FOR_AGENT, since: now, calls: [] }
}

export function progressAfter(before: Progress, event: RunEvent): Progress {
  const { calls } = before
  const { at } = event
  switch (event.type) {
    case 'queued':
      return { kind: 'waiting', what: 'waiting in the queue', since: at, calls: [] }
    case 'started':
      return { kind: 'waiting', what: FOR_AGENT, since: at, calls: [] }
    case 'thinking':
      if (before.kind === 'waiting' && before.what === THINKING) return before
      return { kind: 'waiting', what: THINKING, since: at, calls }
    case 'tool':
      return { kind: 'waiting', what: FOR_AGENT, since: at, calls: [...calls, runningCall(event)] }
    case 'tool-result': {
      const left = calls.filter(({ id }) => id !== event.id)
      return { kind: 'waiting', what: FOR_AGENT, since: at, calls: left }
    }
    case 'retry': {
      const what = `retry ${event.attempt} of ${event.maxAttempts}`
      return { kind: 'due', what, dueAt: at + event.delayMs, calls }
    }
    case 'answer':
      return { kind: 'waiting', what: FOR_AGENT, since: at, calls }
    case 'text':
    case 'question':
      return { kind: 'silent', calls }
    case 'ended':
      if (event.continuedBy === null) return { kind: 'silent', calls: [] }
      return { kind: 'waiting', what: FOR_AGENT, since: at, calls: [] }
    default:
      return before
  }
}

const THINKING = 'the agent thinks'
/** More calls at a time are counted. */
const MOST_CALLS = 2

/** `null`: there is nothing to say. */
export function progressWords(progress: Progress, now: number): string | null {
  if (progress.kind === 'silent') return null
  const calls = progress.calls.map(({ what, at }) => `${what} ${durationWords(now - at)}`)
  const more = calls.length > MOST_CALLS ? [`${calls.length - MOST_CALLS} more`] : []
  const own = progress.kind === 'due' ? dueWords(progress, now) : waitingWords(progress, now)
  return [...(own === null ? [] : [own]), ...calls.slice(0, MOST_CALLS), ...more].join(' · ')
}

function dueWords({ what, dueAt }: Progress & { readonly kind: 'due' }, now: number): string {
  const left = Math.ceil((dueAt - now) / 1_000) * 1_000
  return left > 0 ? `${what} in ${durationWords(left)}` : what
}

/** While calls run, the agent waits for them, not we for the agent. */
function waitingWords(
  { what, since, calls }: Progress & { readonly kind: 'waiting' },
  now: number,
) {
  return calls.length > 0 ? null : `${what} ${durationWords(now - since)}`
}

const MOST_CHARS = 60

function runningCall(event: Extract<RunEvent, { type: 'tool' }>): RunningCall {
  const what = sanitiseLine(`${event.name}: ${mainText(event.input)}`)
  const short = what.length > MOST_CHARS ? `${what.slice(0, MOST_CHARS)}…`.toWellFormed() : what
  return { id: event.id, what: short, at: event.at }
}
