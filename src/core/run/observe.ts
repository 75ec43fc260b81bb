// Folds a run's events into what its record needs. One observation per run; events come in order.

import type { ToolUse } from '../conversation/messages.ts'
import { CUT_MARK, cutText } from '../secrets/cut-text.ts'
import { redact } from '../secrets/redact.ts'
import type { AgentEvent, AgentResult, QuestionEvent, Usage } from './events.ts'
import { NO_USAGE } from './events.ts'

export type Request = {
  readonly requestId: string
  readonly model: string
  readonly usage: Usage
  readonly main: boolean
}

/** What one model used, as the agent reports it. */
export type ModelTokens = Pick<Request, 'model' | 'usage'>

export type Observation = {
  announcedSessionId: string | null
  model: string | null
  version: string | null
  sawAnyEvent: boolean
  /** Answers our prompt: the first that is not unasked. */
  result: AgentResult | null
  /** The newest of all: totals are taken from it. */
  lastResult: AgentResult | null
  /** Sum over all results, where the agent reports deltas. */
  sinceLastCostUsd: number | null
  /** The tokens of these deltas, by model. */
  readonly sinceLastTokens: ModelTokens[]
  text: string
  /** A tool ran since the last text: what follows is another paragraph. */
  paragraphEnded: boolean
  lastAnchor: string | null
  readonly tools: Map<string, ToolUse>
  toolsRan: number
  /** We had begun to stop the run: what is said of its calls from then on proves nothing. */
  stopBegan: boolean
  readonly requests: Map<string, Request>
  /** The call the agent parked before it ended. */
  parked: QuestionEvent | null
  compacted: boolean
  limitRejected: boolean
  limitResetsAt: number | null
}

const MAX_STORED_TOOL_CHARS = 4_000

export function newObservation(): Observation {
  return {
    announcedSessionId: null,
    model: null,
    version: null,
    sawAnyEvent: false,
    result: null,
    lastResult: null,
    sinceLastCostUsd: null,
    sinceLastTokens: [],
    text: '',
    paragraphEnded: false,
    lastAnchor: null,
    tools: new Map(),
    toolsRan: 0,
    stopBegan: false,
    requests: new Map(),
    parked: null,
    compacted: false,
    limitRejected: false,
    limitResetsAt: null,
  }
}

export function observe(seen: Observation, event: AgentEvent): void {
  if (event.type !== 'unknown') seen.sawAnyEvent = true
  switch (event.type) {
    case 'session':
      seen.announcedSessionId ??= event.sessionId
      seen.model = event.model ?? seen.model
      seen.version = event.version ?? seen.version
      return
    case 'text':
      noteText(seen, event.text)
      return
    case 'block':
      if (!seen.result) seen.lastAnchor = event.anchor
      return
    case 'tool':
      seen.toolsRan += 1
      seen.paragraphEnded = true
      seen.tools.set(event.id, storedTool({ ...event, result: null, isError: false }))
      return
    case 'tool-result':
      noteToolResult(seen, event)
      return
    case 'usage':
      seen.requests.set(event.requestId, event)
      return
    case 'question':
      if (event.requestId === null) seen.parked = event
      return
    case 'compacted':
      seen.compacted = true
      return
    case 'limit':
      seen.limitRejected ||= event.rejected
      if (event.rejected) seen.limitResetsAt = event.resetsAt ?? seen.limitResetsAt
      return
    case 'result':
      noteResult(seen, event)
      return
    default:
      return
  }
}

export function totalUsage(requests: Iterable<Pick<Request, 'usage'>>): Usage {
  let total = NO_USAGE
  for (const { usage } of requests) {
    total = {
      inputTokens: total.inputTokens + usage.inputTokens,
      cacheReadTokens: total.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: total.cacheWriteTokens + usage.cacheWriteTokens,
      outputTokens: total.outputTokens + usage.outputTokens,
    }
  }
  return total
}

export function tokensByModel(models: AgentResult['models']): readonly ModelTokens[] {
  return Object.entries(models).map(([model, { usage }]) => ({ model, usage }))
}

/** The last main-loop request alone, never a sum over requests. */
export function contextTokensOf(requests: readonly Request[]): number | null {
  const last = requests.findLast(request => request.main)
  if (!last) return null
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = last.usage
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens
}

/** The model of the last main-loop request. */
export function modelOfRequests(requests: readonly Request[]): string | null {
  return requests.findLast(request => request.main)?.model ?? null
}

function noteText(seen: Observation, text: string): void {
  // After the answer, only what the agent started by itself still talks.
  if (seen.result) return
  const gap = seen.paragraphEnded && seen.text ? '\n\n' : ''
  seen.text += gap + text
  seen.paragraphEnded = false
}

function noteToolResult(
  seen: Observation,
  event: Extract<AgentEvent, { type: 'tool-result' }>,
): void {
  const call = seen.tools.get(event.id)
  if (!call || event.outcomeUnknown) return
  if (event.denied) seen.toolsRan -= 1
  seen.tools.set(event.id, { ...call, result: stored(event.text), isError: event.isError })
}

function noteResult(seen: Observation, result: AgentResult): void {
  seen.lastResult = result
  if (!result.unasked) seen.result ??= result
  const delta = result.modelsSinceLastResult
  if (!delta) return
  const costUsd = Object.values(delta).reduce((sum, model) => sum + model.costUsd, 0)
  seen.sinceLastCostUsd = (seen.sinceLastCostUsd ?? 0) + costUsd
  seen.sinceLastTokens.push(...tokensByModel(delta))
}

/** As it is kept: bounded, and without secrets. */
export function storedTool(tool: ToolUse, known: readonly string[] = []): ToolUse {
  const { id, name, input, result, isError } = tool
  return {
    id,
    name,
    input: stored(input, known),
    result: result && stored(result, known),
    isError,
  }
}

/**
 * Whether a result is only the beginning of what the tool gave: it ends with the mark of the cut. Redaction may have shortened it, but
 * hardly by half; what is much shorter, or longer than anything that is stored, ends with that character by itself.
 */
export function isStoredPart(result: string): boolean {
  const { length } = result
  const isOfSize = length > MAX_STORED_TOOL_CHARS / 2 && length <= MAX_STORED_TOOL_CHARS + 1
  return isOfSize && result.endsWith(CUT_MARK)
}

function stored(text: string, known: readonly string[] = []): string {
  return cutText(redact(text, known), MAX_STORED_TOOL_CHARS).toWellFormed()
}
