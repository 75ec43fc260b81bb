// What a run has said and done so far, folded from its events: a pure function, so that a test needs no browser.
import type { Decision } from '../../src/core/decide/decision.ts'
import type { RunEvent } from '../../src/core/run/run-events.ts'

export type ToolProgress = {
  readonly id: string
  readonly name: string
  /** The input as JSON text. */
  readonly input: string
  /** `null` while the call runs. */
  readonly result: string | null
  readonly isError: boolean
  readonly denied: boolean
  readonly startedAt: number
  readonly endedAt: number | null
}

export type RunProgress = {
  /** The `seq` of the last event that is part of it. */
  readonly seq: number
  readonly decision: Decision | null
  readonly text: string
  readonly tools: readonly ToolProgress[]
  /** The calls that wait for a person, oldest first. */
  readonly asks: readonly { readonly toolUseId: string; readonly tool: string }[]
  /** Something that a reader should know now: a retry, a limit, a compaction. */
  readonly note: string | null
  readonly lastEventAt: number | null
  readonly isEnded: boolean
}

export const NO_PROGRESS: RunProgress = {
  seq: 0,
  decision: null,
  text: '',
  tools: [],
  asks: [],
  note: null,
  lastEventAt: null,
  isEnded: false,
}

/** Events that were counted already change nothing. */
export function progressWith(progress: RunProgress, events: readonly RunEvent[]): RunProgress {
  return events.reduce(
    (sofar, event) => (event.seq <= sofar.seq ? sofar : after(sofar, event)),
    progress,
  )
}

function after(progress: RunProgress, event: RunEvent): RunProgress {
  const { seq, at } = event
  const next = { ...progress, seq, lastEventAt: at }
  switch (event.type) {
    case 'started':
      return { ...next, decision: event.decision }
    case 'text':
      return { ...next, text: progress.text + event.text, note: null }
    case 'tool': {
      const { id, name, input } = event
      const call = { id, name, input, result: null, isError: false, denied: false }
      return { ...next, tools: [...progress.tools, { ...call, startedAt: at, endedAt: null }] }
    }
    case 'tool-result': {
      const { id, text: result, isError, denied } = event
      const tools = progress.tools.map(tool =>
        tool.id === id ? { ...tool, result, isError, denied, endedAt: at } : tool,
      )
      return { ...next, tools }
    }
    case 'question':
      return {
        ...next,
        asks: [...progress.asks, { toolUseId: event.toolUseId, tool: event.tool }],
      }
    case 'answer':
      return { ...next, asks: progress.asks.filter(({ toolUseId }) => toolUseId !== event.id) }
    case 'retry':
      return {
        ...next,
        note: `retry ${event.attempt} of ${event.maxAttempts} in ${Math.ceil(event.delayMs / 1_000)} s: ${event.error}`,
      }
    case 'queued':
      return { ...next, note: event.words }
    case 'fallback':
      return { ...next, note: event.words }
    case 'notice':
      return { ...next, note: event.text }
    case 'compacted':
      return { ...next, note: 'the agent has compacted its session' }
    case 'ended':
      return { ...next, isEnded: true, asks: [], note: null }
    default:
      return next
  }
}
