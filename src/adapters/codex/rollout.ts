// The lines of a rollout file, as turns: what was said, what was called, what each request used.
import type { ToolUse } from '../../core/conversation/messages.ts'
import type { Usage } from '../../core/run/events.ts'
import { type Fields, fieldsIn, fieldsOf, numberIn, parseFields, textIn } from '../fields.ts'
import { usageIn } from './usage.ts'

export type RolloutTurn = {
  /** Made by codex for each turn, so it is unique; the ids of messages come from the model API. */
  readonly id: string
  readonly prompts: readonly string[]
  readonly answers: readonly string[]
  readonly tools: readonly ToolUse[]
  readonly requests: readonly { readonly requestId: string; readonly usage: Usage }[]
  readonly model: string | null
  /** In tokens; `null`: not said. */
  readonly contextWindow: number | null
  /** The turn ended by itself. */
  readonly complete: boolean
}

type OpenTurn = {
  id: string
  prompts: string[]
  answers: string[]
  tools: Map<string, ToolUse>
  requests: Map<string, Usage>
  model: string | null
  contextWindow: number | null
  complete: boolean
}

export function linesIn(bytes: Uint8Array): readonly Fields[] {
  const lines = new TextDecoder().decode(bytes).split('\n').map(parseFields)
  return lines.filter(line => line !== null)
}

/** Lines before the first turn belong to none. */
export function turnsIn(lines: readonly Fields[]): readonly RolloutTurn[] {
  const turns: OpenTurn[] = []
  for (const line of lines) {
    const payload = fieldsIn(line.payload)
    if (!payload) continue
    if (payload.type === 'task_started') turns.push(openTurn(payload))
    const turn = turns.at(-1)
    if (turn) note(turn, textIn(line.type), payload)
  }
  return turns.map(({ tools, requests, ...turn }) => ({
    ...turn,
    tools: [...tools.values()],
    requests: [...requests].map(([requestId, usage]) => ({ requestId, usage })),
  }))
}

/** The running total of the thread, as the last line about it says; `null`: there is none. */
export function totalIn(lines: readonly Fields[]): Usage | null {
  const last = lines.findLast(line => fieldsIn(line.payload)?.type === 'token_count')
  const total = fieldsIn(fieldsIn(fieldsIn(last?.payload)?.info)?.total_token_usage)
  return total && usageIn(total)
}

/** A fork holds only what came after it: codex reads the rest from the file of the thread that it was forked from. */
export function forkedFrom(lines: readonly Fields[]): string | null {
  const [first] = lines
  return first?.type === 'session_meta' ? textIn(fieldsIn(first.payload)?.forked_from_id) : null
}

function openTurn(started: Fields): OpenTurn {
  return {
    id: textIn(started.turn_id) ?? '',
    contextWindow: numberIn(started.model_context_window),
    ...{ prompts: [], answers: [], model: null, complete: false },
    ...{ tools: new Map(), requests: new Map() },
  }
}

function note(turn: OpenTurn, type: string | null, payload: Fields): void {
  if (type === 'turn_context') turn.model = textIn(payload.model) ?? turn.model
  if (type === 'response_item') noteCall(turn, payload)
  if (type === 'token_usage_record') noteRequest(turn, payload)
  if (type !== 'event_msg') return
  if (payload.type === 'task_complete' && payload.turn_id === turn.id) turn.complete = true
  if (payload.type !== 'item_completed') return
  const item = fieldsIn(payload.item)
  const text = fieldsOf(item?.content)
    .map(part => textIn(part.text) ?? '')
    .join('')
  if (item?.type === 'UserMessage') turn.prompts.push(text)
  if (item?.type === 'AgentMessage') turn.answers.push(text)
}

function noteRequest(turn: OpenTurn, payload: Fields): void {
  const requestId = textIn(payload.response_id)
  if (requestId !== null && payload.turn_id === turn.id) {
    turn.requests.set(requestId, usageIn(payload.usage))
  }
}

function noteCall({ tools }: OpenTurn, payload: Fields): void {
  const id = textIn(payload.call_id)
  if (id === null) return
  const call = tools.get(id)
  if (call && /_output$/.test(textIn(payload.type) ?? '')) {
    const output = payload.output
    const result = typeof output === 'string' ? output : JSON.stringify(output ?? '')
    tools.set(id, { ...call, result })
    return
  }
  const name = textIn(payload.name)
  const input = textIn(payload.arguments) ?? textIn(payload.input) ?? '{}'
  if (name !== null) tools.set(id, { id, name, input, result: null, isError: false })
}
