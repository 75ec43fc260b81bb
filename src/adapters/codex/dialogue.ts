// How one talks to `codex exec --json`: the prompt on its input, which then ends, and lines of JSON on its output.
import type { AgentEvent, AgentResult } from '../../core/run/events.ts'
import { NO_USAGE } from '../../core/run/events.ts'
import { cutText } from '../../core/secrets/cut-text.ts'
import { RepriseError } from '../../errors.ts'
import type { Dialogue, RunSpec } from '../adapter.ts'
import { type Fields, fieldsIn, parseFields, textIn } from '../fields.ts'
import { itemEvents } from './items.ts'
import { usageIn } from './usage.ts'

const MAX_RAW_CHARS = 4_000

type State = {
  sessionId: string | null
  /** The latest message of the agent: the last one of a turn is its answer. */
  lastText: string | null
  /** Messages follow each other as paragraphs. */
  saidBefore: boolean
  readonly begun: Set<string>
}

export function openDialogue({ prompt }: RunSpec): Dialogue {
  if (prompt === null || prompt.trim() === '') {
    throw new RepriseError(
      'bad-input',
      'the prompt is blank',
      'Give the prompt as an argument of `reprise send`, or as `prompt` of the request.',
    )
  }
  const state: State = { sessionId: null, lastText: null, saidBefore: false, begun: new Set() }
  return {
    // An input that stays open is read until it ends: codex would never begin.
    begin: () => ({ events: [], write: [prompt], close: true }),
    read(line) {
      if (line.trim() === '') return { events: [], write: [] }
      const fields = parseFields(line)
      const type = textIn(fields?.type)
      const events =
        fields === null || type === null
          ? [unknown('no-event', line)]
          : (eventsOf(state, fields, type) ?? [unknown(kindOf(fields, type), line)])
      return { events, write: [] }
    },
  }
}

function eventsOf(state: State, fields: Fields, type: string): readonly AgentEvent[] | null {
  switch (type) {
    case 'thread.started':
      return started(state, textIn(fields.thread_id))
    case 'turn.started':
      return []
    case 'item.started':
      return item(state, fields, 'started')
    case 'item.updated':
      return item(state, fields, 'updated')
    case 'item.completed':
      return item(state, fields, 'completed')
    case 'error':
      return [failedRequest(textIn(fields.message) ?? '')]
    case 'turn.completed':
      return [{ ...resultOf(state, type), ok: true, usage: usageIn(fields.usage) }]
    case 'turn.failed': {
      const message = textIn(fieldsIn(fields.error)?.message) ?? 'the turn failed'
      const apiErrorStatus = statusIn(message)
      return [{ ...resultOf(state, type), text: null, errors: [message], apiErrorStatus }]
    }
    default:
      return null
  }
}

function started(state: State, sessionId: string | null): readonly AgentEvent[] | null {
  if (sessionId === null) return null
  state.sessionId = sessionId
  const nothingSaid = { model: null, version: null, tools: [], permissionMode: null }
  return [{ type: 'session', sessionId, ...nothingSaid }]
}

function item(
  state: State,
  fields: Fields,
  phase: 'started' | 'updated' | 'completed',
): readonly AgentEvent[] | null {
  const found = fieldsIn(fields.item)
  const events = found && itemEvents(found, phase, state.begun)
  return events?.map(event => asParagraph(state, event)) ?? null
}

function asParagraph(state: State, event: AgentEvent): AgentEvent {
  if (event.type === 'tool') state.saidBefore = false
  if (event.type !== 'text') return event
  const gap = state.saidBefore ? '\n\n' : ''
  state.saidBefore = true
  state.lastText = event.text
  return { ...event, text: `${gap}${event.text}` }
}

const RETRY = /^Reconnecting\.\.\. (\d{1,3})\/(\d{1,3}) \((.*)\)$/s

/** The program tries again by itself, or says before the end of the turn why the turn fails. */
function failedRequest(message: string): AgentEvent {
  const [, attempt, maxAttempts, error] = RETRY.exec(message) ?? []
  const text = cutText(message, MAX_RAW_CHARS)
  if (attempt === undefined) return { type: 'notice', code: 'request-failed', text }
  return {
    type: 'retry',
    attempt: Number(attempt),
    maxAttempts: Number(maxAttempts),
    delayMs: 0,
    status: statusIn(message),
    error: cutText(error ?? '', MAX_RAW_CHARS),
  }
}

function statusIn(message: string): number | null {
  const [, status] = /\b(?:unexpected|last) status:? (\d{3})\b/.exec(message) ?? []
  return status === undefined ? null : Number(status)
}

function resultOf({ sessionId, lastText }: State, subtype: string): AgentResult {
  return {
    type: 'result',
    ok: false,
    subtype,
    sessionId,
    text: lastText,
    errors: [],
    apiErrorStatus: null,
    errorKind: null,
    stopReason: null,
    terminalReason: null,
    turns: 1,
    durationMs: null,
    totalCostUsd: null,
    models: {},
    modelsSinceLastResult: null,
    usage: NO_USAGE,
    unasked: false,
  }
}

function kindOf(fields: Fields, type: string): string {
  const item = textIn(fieldsIn(fields.item)?.type)
  return item === null ? type : `${type}/${item}`
}

function unknown(kind: string, line: string): AgentEvent {
  return { type: 'unknown', kind: kind.slice(0, 200), raw: cutText(line, MAX_RAW_CHARS) }
}
