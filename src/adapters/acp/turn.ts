// One prompt over ACP: what the agent says until it answers, and what its answer means.
import { type AgentEvent, type AgentResult, NO_USAGE, type Usage } from '../../core/run/events.ts'
import { type Fields, fieldsIn, textIn } from '../fields.ts'
import type { AcpHabits } from './habits.ts'
import type { RpcError } from './messages.ts'
import { followToolCalls, type ToolCalls } from './tool-calls.ts'
import { contextIn, costInUpdate, readUsage, sumOfUsage, usageOf } from './usage.ts'

export type TurnFollower = {
  readonly calls: ToolCalls
  /** An update while the prompt is worked on. */
  update(update: Fields): readonly AgentEvent[]
  /** What was held back until it is known that it is no error. */
  release(): readonly AgentEvent[]
  /** The agent's answer to the prompt. */
  ended(result: Fields, sessionId: string | null): AgentResult
  /** The agent's refusal of the prompt. */
  refused(error: RpcError, sessionId: string | null): AgentResult
  /** The prompt was never sent. */
  failed(
    subtype: string,
    about: { readonly sessionId: string | null; readonly errors: readonly string[] },
  ): AgentResult
}

const MAX_RAW_CHARS = 4_000
const AUTHENTICATION_REQUIRED = -32000

/** Updates that say nothing which a run keeps. */
const SILENT = new Set([
  'plan',
  'plan_update',
  'user_message_chunk',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
])

type State = {
  /** The text since the last call of a tool: at the end, the answer. */
  answer: string
  messageId: string | null
  /** The agent has said or done something for this prompt. */
  didAnything: boolean
  costUsd: number | null
  /** How full the context is, as the agent said last. */
  context: AgentResult['context'] | null
  /** Calls need another model request after the first one. */
  hasCalled: boolean
  /** The sum of what the agent said beside its texts. */
  usage: Usage | null
  /** A message that may be an error. */
  held: Fields | null
  /** Notes of the program, of which the last may say why nothing came. */
  notes: string[]
  /** The program itself says that the turn has failed, whatever its answer says. */
  broken: boolean
}

/** `openingNote`: a text that the program, not the model, says after it has opened the session; `null`: none. */
export function followPrompt(
  habits: AcpHabits,
  { offered, openingNote }: { offered: readonly string[] | null; openingNote: string | null },
): TurnFollower {
  const calls = followToolCalls(habits, offered)
  const state: State = {
    answer: '',
    messageId: null,
    didAnything: false,
    costUsd: null,
    context: null,
    hasCalled: false,
    usage: null,
    held: null,
    notes: [],
    broken: false,
  }
  const around = { state, calls, habits, openingNote }
  return {
    calls,
    update: update => [...released(around), ...eventsOf(update, around)],
    release: () => released(around),
    ended: (result, sessionId) => ended({ state, habits }, result, sessionId),
    refused(error, sessionId) {
      const errors = [error.message, error.detail].filter(text => text !== '')
      const status = error.code === AUTHENTICATION_REQUIRED ? 401 : statusIn(errors.join(' '))
      // What was said last may be the same error, as if the model had said it.
      return { ...resultOf(state, 'error', sessionId), text: null, errors, apiErrorStatus: status }
    },
    failed: (subtype, { sessionId, errors }) => ({
      ...resultOf(state, subtype, sessionId),
      errors,
      turns: 0,
    }),
  }
}

type Around = {
  readonly state: State
  readonly calls: ToolCalls
  readonly habits: AcpHabits
  readonly openingNote: string | null
}

function eventsOf(update: Fields, around: Around): readonly AgentEvent[] {
  const { state, calls } = around
  const kind = textIn(update.sessionUpdate) ?? ''
  switch (kind) {
    case 'agent_message_chunk':
      return said(update, around)
    case 'agent_thought_chunk':
      return [{ type: 'thinking', text: chunkText(update) }]
    case 'tool_call':
    case 'tool_call_update':
      state.answer = ''
      state.messageId = null
      state.didAnything = true
      state.hasCalled = true
      return calls.update(update)
    case 'usage_update':
      state.costUsd = costInUpdate(update) ?? state.costUsd
      state.context = contextIn(update) ?? state.context
      return []
    case 'session_info_update':
      state.broken ||= saysBroken(update)
      return []
    default:
      if (SILENT.has(kind)) return []
      return [{ type: 'unknown', kind, raw: JSON.stringify(update).slice(0, MAX_RAW_CHARS) }]
  }
}

/** Something came after it, so the agent goes on: it was what the model said. */
function released(around: Around): readonly AgentEvent[] {
  const { held } = around.state
  around.state.held = null
  return held === null ? [] : heard(held, around)
}

function said(update: Fields, around: Around): readonly AgentEvent[] {
  if (around.habits.mayBeError?.test(textIn(update.messageId) ?? '') !== true)
    return heard(update, around)
  around.state.held = update
  return []
}

function heard(update: Fields, { state, habits, openingNote }: Around): readonly AgentEvent[] {
  const used = fieldsIn(fieldsIn(update._meta)?.usage)
  if (used !== null) state.usage = sumOfUsage(state.usage, readUsage(used))
  const text = chunkText(update)
  const messageId = textIn(update.messageId)
  const isNote = habits.notesHaveNoMessageId && messageId === null
  if (isNote || habits.notes?.test(text) === true) {
    state.notes.push(text.trim())
    return [noteOf(text)]
  }
  // It says nothing about this turn, so it is not why the turn fails.
  if (text === openingNote) return text.trim() === '' ? [] : [noteOf(text)]
  if (state.answer === '' && text.trim() === '') return []
  // Messages follow each other as paragraphs.
  const isNext = state.answer !== '' && messageId !== null && messageId !== state.messageId
  const shown = isNext ? `\n\n${text}` : text
  state.messageId = messageId
  state.answer += shown
  state.didAnything ||= text.trim() !== ''
  return text === '' ? [] : [{ type: 'text', text: shown }]
}

function noteOf(text: string): AgentEvent {
  return { type: 'notice', code: 'agent-warning', text: text.trim() }
}

/** codex says over ACP only here that its model could not be reached. */
function saysBroken(update: Fields): boolean {
  const status = fieldsIn(fieldsIn(fieldsIn(update._meta)?.codex)?.threadStatus)
  return status?.type === 'systemError'
}

function ended(
  { state, habits }: Pick<Around, 'state' | 'habits'>,
  result: Fields,
  sessionId: string | null,
): AgentResult {
  const stopReason = textIn(result.stopReason) ?? 'none'
  const usage = usageOf(result) ?? state.usage
  const isPart = habits.usageOfLastRequest && state.hasCalled
  const whole = {
    ...resultOf(state, stopReason, sessionId),
    stopReason,
    // A part would look like the whole.
    usage: (isPart ? null : usage) ?? NO_USAGE,
  }
  if (stopReason !== 'end_turn') return whole
  const isSilent = habits.answersSayUsage && usage === null
  if (state.didAnything && !state.broken && !isSilent) return { ...whole, ok: true }
  // Several agents call a turn ended whose model answered with errors only, and say the error as if the model had said it.
  const said = state.answer.trim() || state.notes.at(-1)
  const errors = [said ?? 'the agent ended the turn without saying or doing anything']
  const apiErrorStatus = statusIn(errors.join(' '))
  return { ...whole, subtype: 'nothing-said', text: null, errors, apiErrorStatus }
}

function resultOf(state: State, subtype: string, sessionId: string | null): AgentResult {
  return {
    type: 'result',
    ok: false,
    subtype,
    sessionId,
    text: state.answer.trim() === '' ? null : state.answer,
    errors: [],
    apiErrorStatus: null,
    errorKind: null,
    stopReason: null,
    terminalReason: null,
    turns: 1,
    durationMs: null,
    totalCostUsd: state.costUsd,
    models: {},
    modelsSinceLastResult: null,
    usage: NO_USAGE,
    ...(state.context && { context: state.context }),
    unasked: false,
  }
}

function chunkText(update: Fields): string {
  return textIn(fieldsIn(update.content)?.text) ?? ''
}

function statusIn(words: string): number | null {
  const [, status] = /\b([45]\d\d)\b/.exec(words) ?? []
  return status === undefined ? null : Number(status)
}
