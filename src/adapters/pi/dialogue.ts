// How one talks to `pi --mode json`: the prompt on its input, which then ends, and lines of JSON on its output.
import { type AgentEvent, type AgentResult, NO_USAGE } from '../../core/run/events.ts'
import { cutText } from '../../core/secrets/cut-text.ts'
import { RepriseError } from '../../errors.ts'
import type { Dialogue, RunSpec } from '../adapter.ts'
import { type Fields, fieldsIn, numberIn, parseFields, textIn } from '../fields.ts'
import { dollarsIn, textOf, usageOf } from './entries.ts'

const MAX_RAW_CHARS = 4_000

/** Lines that say nothing which a run keeps, or say it a second time. */
const SILENT = new Set([
  ...['agent_start', 'agent_end', 'turn_start', 'turn_end', 'message_start', 'entry_appended'],
  ...['tool_execution_update', 'auto_retry_end', 'queue_update', 'session_info_changed'],
  ...['thinking_level_changed', 'compaction_start'],
])

type State = {
  sessionId: string | null
  /** The last message of the model. Pi calls a turn settled whatever became of it. */
  last: Fields | null
  requests: number
  costUsd: number | null
}

export function openDialogue({ prompt }: RunSpec): Dialogue {
  if (prompt === null || prompt.trim() === '') {
    throw new RepriseError(
      'bad-input',
      'the prompt is blank',
      'Give the prompt as an argument of `reprise send`, or as `prompt` of the request.',
    )
  }
  const state: State = { sessionId: null, last: null, requests: 0, costUsd: null }
  return {
    // An input that stays open is read until it ends: pi would never begin.
    begin: () => ({ events: [], write: [prompt], close: true }),
    read(line) {
      if (line.trim() === '') return { events: [], write: [] }
      const fields = parseFields(line)
      const type = textIn(fields?.type)
      const events = fields === null || type === null ? null : eventsOf(state, fields, type)
      return { events: events ?? [unknown(type ?? 'no-event', line)], write: [] }
    },
  }
}

function eventsOf(state: State, fields: Fields, type: string): readonly AgentEvent[] | null {
  switch (type) {
    case 'session':
      return started(state, textIn(fields.id))
    case 'message_update':
      return delta(fieldsIn(fields.assistantMessageEvent) ?? {})
    case 'message_end':
      return said(state, fieldsIn(fields.message) ?? {})
    case 'tool_execution_start':
      return [
        {
          type: 'tool',
          id: textIn(fields.toolCallId) ?? '',
          name: textIn(fields.toolName) ?? '',
          input: JSON.stringify(fieldsIn(fields.args) ?? {}),
          parentId: null,
        },
      ]
    case 'tool_execution_end':
      return [toolResult(fields)]
    case 'auto_retry_start':
      return [retry(fields)]
    case 'compaction_end':
      return [{ type: 'compacted', trigger: textIn(fields.reason) ?? 'auto', tokensBefore: null }]
    case 'agent_settled':
      return [settled(state)]
    default:
      return SILENT.has(type) ? [] : null
  }
}

function started(state: State, sessionId: string | null): readonly AgentEvent[] | null {
  if (sessionId === null) return null
  state.sessionId = sessionId
  const nothingSaid = { model: null, version: null, tools: [], permissionMode: null }
  return [{ type: 'session', sessionId, ...nothingSaid }]
}

function delta(event: Fields): readonly AgentEvent[] {
  const text = textIn(event.delta) ?? ''
  if (text === '') return []
  if (event.type === 'text_delta') return [{ type: 'text', text }]
  return event.type === 'thinking_delta' ? [{ type: 'thinking', text }] : []
}

function said(state: State, message: Fields): readonly AgentEvent[] {
  if (message.role !== 'assistant') return []
  state.last = message
  const [usage, cost] = [usageOf(message), dollarsIn(message)]
  if (cost !== null) state.costUsd = (state.costUsd ?? 0) + cost
  if (usage === null) return []
  state.requests += 1
  const requestId = textIn(message.responseId) ?? `request-${state.requests}`
  return [{ type: 'usage', requestId, model: modelOf(message), usage, main: true }]
}

function modelOf({ provider, model }: Fields): string {
  return `${textIn(provider) ?? ''}/${textIn(model) ?? ''}`
}

function toolResult({ toolCallId, result, isError }: Fields): AgentEvent {
  const text = textOf(fieldsIn(result) ?? {})
  const failed = isError === true
  // A tool that this run was not offered.
  const denied = failed && /^Tool \S+ not found$/.test(text.trim())
  return { type: 'tool-result', id: textIn(toolCallId) ?? '', isError: failed, denied, text }
}

function retry({ attempt, maxAttempts, delayMs, errorMessage }: Fields): AgentEvent {
  const error = cutText(textIn(errorMessage) ?? '', MAX_RAW_CHARS)
  return {
    type: 'retry',
    attempt: numberIn(attempt) ?? 1,
    maxAttempts: numberIn(maxAttempts) ?? 1,
    delayMs: numberIn(delayMs) ?? 0,
    status: statusIn(error),
    error,
  }
}

function settled({ sessionId, last, costUsd }: State): AgentResult {
  const stopReason = textIn(last?.stopReason) ?? 'nothing-said'
  const error = textIn(last?.errorMessage)
  const text = last === null ? '' : textOf(last)
  return {
    type: 'result',
    ok: stopReason === 'stop',
    subtype: stopReason,
    sessionId,
    text: text === '' ? null : text,
    errors: error === null ? [] : [cutText(error, MAX_RAW_CHARS)],
    apiErrorStatus: error === null ? null : statusIn(error),
    errorKind: null,
    stopReason,
    terminalReason: stopReason === 'aborted' ? 'aborted' : null,
    turns: 1,
    durationMs: null,
    totalCostUsd: costUsd,
    models: {},
    modelsSinceLastResult: null,
    usage: NO_USAGE,
    unasked: false,
  }
}

function statusIn(message: string): number | null {
  const [, status] = /^(\d{3}):/.exec(message) ?? []
  return status === undefined ? null : Number(status)
}

function unknown(kind: string, line: string): AgentEvent {
  return { type: 'unknown', kind: kind.slice(0, 200), raw: cutText(line, MAX_RAW_CHARS) }
}
