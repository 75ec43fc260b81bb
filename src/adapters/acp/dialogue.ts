// How one talks to an agent over ACP: greeting, session, prompt. A pure state machine: lines in, events and lines out.
import type { Continuation } from '../../core/decide/continuation.ts'
import type { AgentEvent } from '../../core/run/events.ts'
import type { Dialogue, DialogueStep, KnownEnd } from '../adapter.ts'
import { type Fields, fieldsIn, textIn } from '../fields.ts'
import { GREETING, PROTOCOL_VERSION } from './greeting.ts'
import { type AcpHabits, acpHabitsOf } from './habits.ts'
import { followHistory } from './loaded-history.ts'
import {
  type AcpMessage,
  failureLine,
  notificationLine,
  type RpcError,
  type RpcId,
  readMessage,
  requestLine,
} from './messages.ts'
import { type PermissionRequest, permissionLine, permissionRequest } from './permissions.ts'
import { settingRequests } from './session-settings.ts'
import { followPrompt, type TurnFollower } from './turn.ts'

export type AcpTurn = {
  readonly prompt: string
  readonly continuation: Continuation
  /** How a loaded session may end; none: it may hold anything. */
  readonly knownEnds: readonly KnownEnd[]
  readonly workDir: string
  /** `null`: as the agent's own settings say. */
  readonly model: string | null
  readonly mode: string | null
  /** The kinds of the tools that it offers in a tier; `null`: it chooses them itself. */
  readonly offered: readonly string[] | null
  /** Kinds of calls that are allowed when the agent asks for permission. */
  readonly allows: readonly string[] | 'all'
  /** Who decides about the other kinds. */
  readonly permissions: 'ask-user' | 'ask-us' | 'refuse'
  /** The process is kept for another prompt. */
  readonly stays: boolean
}

export type AcpDialogue = Required<Pick<Dialogue, 'begin' | 'read' | 'answer' | 'rule'>> & {
  /** Another prompt for the same session, after the result of the last one. */
  next(prompt: string): DialogueStep
  interrupt(): DialogueStep
}

const METHOD_NOT_FOUND = -32601
const MAX_RAW_CHARS = 4_000
const NOTHING: DialogueStep = { events: [], write: [] }

/** The record of the run holds the prompt for a session that does not. */
const PROMPT_HELD: AgentEvent = {
  type: 'notice',
  code: 'prompt-held',
  text: 'The session already held the prompt before this one, whose turn did not succeed. Reprise did not repeat it.',
}

/** What we wait for. An agent sends updates about its session in every state. */
type Waiting = 'greeting' | 'session' | 'setting' | 'answer' | 'nothing'

export function acpDialogue(turn: AcpTurn): AcpDialogue {
  let waiting: Waiting = 'greeting'
  let lastId = 0
  let sessionId: string | null =
    turn.continuation.kind === 'resume' ? turn.continuation.sessionId : null
  let habits: AcpHabits = acpHabitsOf(null)
  let version: string | null = null
  let settings: readonly { readonly method: string; readonly params: object }[] = []
  let openingNote: string | null = null
  let follower = follow()
  const history = followHistory()
  let { prompt } = turn
  const asked = new Map<string, PermissionRequest>()

  function follow(): TurnFollower {
    return followPrompt(habits, { offered: turn.offered, openingNote })
  }

  function send(next: Waiting, method: string, params: object): DialogueStep {
    waiting = next
    const stage = next === 'answer' ? 'works' : 'prepares'
    return { events: [], write: [requestLine(++lastId, method, params)], stage }
  }

  function fail(subtype: string, errors: readonly string[]): DialogueStep {
    waiting = 'nothing'
    return { events: [follower.failed(subtype, { sessionId, errors })], write: [], close: true }
  }

  function greeted(result: Fields): DialogueStep {
    const about = fieldsIn(result.agentInfo)
    version = textIn(about?.version)
    habits = acpHabitsOf(textIn(about?.name))
    follower = follow()
    if (result.protocolVersion !== PROTOCOL_VERSION)
      return fail('protocol-unknown', [`the agent speaks version ${result.protocolVersion} of ACP`])
    const place = { cwd: turn.workDir, mcpServers: [] }
    if (sessionId === null) return send('session', 'session/new', place)
    if (fieldsIn(result.agentCapabilities)?.loadSession !== true)
      return fail('load-refused', ['the agent cannot load sessions'])
    if (habits.repeatsLate)
      return fail('load-refused', ['the agent repeats a loaded session too late to be checked'])
    return send('session', 'session/load', { sessionId, ...place })
  }

  function opened(result: Fields): DialogueStep {
    openingNote = noteIn(result, habits.openingNote)
    const isLoaded = sessionId !== null
    const end = isLoaded ? history.endsAs(turn.knownEnds) : null
    // Some agents begin a new session under an id that they do not know, and call that a success.
    if (isLoaded && (turn.knownEnds.length > 0 ? end === null : history.isEmpty()))
      return fail('session-lost', ['the loaded session has another history'])
    prompt = end?.send ?? prompt
    sessionId ??= textIn(result.sessionId)
    if (sessionId === null) return fail('no-session', ['the agent named no session'])
    const found = settingRequests(sessionId, result, turn)
    // The session is in order, also when the agent does not offer the model.
    const isOffered = 'requests' in found
    const named = sessionEvent(sessionId, isOffered ? found : { model: null, mode: null })
    settings = isOffered ? found.requests : []
    const step = isOffered ? goOn() : fail('setting-refused', [found.problem])
    const held = end !== null && end !== turn.knownEnds[0] ? [PROMPT_HELD] : []
    return { ...step, events: [named, ...held, ...step.events] }
  }

  function sessionEvent(
    id: string,
    found: { model: string | null; mode: string | null },
  ): AgentEvent {
    const { model, mode } = found
    return { type: 'session', sessionId: id, model, version, tools: [], permissionMode: mode }
  }

  /** The next setting, or the prompt. */
  function goOn(): DialogueStep {
    const [setting, ...rest] = settings
    settings = rest
    if (setting) return send('setting', setting.method, setting.params)
    return sendPrompt(prompt)
  }

  function sendPrompt(text: string): DialogueStep {
    follower = follow()
    return send('answer', 'session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
  }

  function answered(result: Fields): DialogueStep {
    waiting = 'nothing'
    const open = [...follower.release(), ...follower.calls.endRefused()]
    const events = [...open, follower.ended(result, sessionId)]
    return turn.stays ? { events, write: [] } : { events, write: [], close: true }
  }

  function onAnswer(id: RpcId, result: Fields): DialogueStep {
    if (id !== lastId) return NOTHING
    if (waiting === 'greeting') return greeted(result)
    if (waiting === 'session') return opened(result)
    if (waiting === 'setting') return goOn()
    return waiting === 'answer' ? answered(result) : NOTHING
  }

  function onFailure(id: RpcId, error: RpcError): DialogueStep {
    if (id !== lastId || waiting === 'nothing') return NOTHING
    const words = [error.message, error.detail].filter(text => text !== '')
    if (waiting === 'session')
      return fail(sessionId === null ? 'no-session' : 'load-refused', words)
    if (waiting !== 'answer') return fail(`${waiting}-refused`, words)
    waiting = 'nothing'
    const event = follower.refused(error, sessionId)
    return turn.stays ? { events: [event], write: [] } : { events: [event], write: [], close: true }
  }

  function onRequest(id: RpcId, method: string, params: Fields): DialogueStep {
    if (method !== 'session/request_permission') {
      const message = `Method not found: ${method}`
      return { events: [], write: [failureLine(id, { code: METHOD_NOT_FOUND, message })] }
    }
    const request = permissionRequest(id, params)
    const { call, events } = follower.calls.report(fieldsIn(params.toolCall) ?? {})
    const isAllowed = turn.allows === 'all' || turn.allows.includes(call.name)
    if (isAllowed || turn.permissions === 'refuse') {
      if (!isAllowed) follower.calls.refuse(request.callId)
      return { events, write: [permissionLine(request, isAllowed)] }
    }
    const requestId = String(id)
    asked.set(requestId, request)
    const { id: toolUseId, name: tool, input } = call
    const event: AgentEvent =
      turn.permissions === 'ask-us'
        ? { type: 'call-asked', requestId, ...call }
        : { type: 'question', kind: 'permission', requestId, toolUseId, tool, input, items: [] }
    return { events: [...events, event], write: [] }
  }

  function onUpdate(params: Fields): DialogueStep {
    const update = fieldsIn(params.update)
    if (update === null || textIn(params.sessionId) !== sessionId) return NOTHING
    if (waiting === 'answer') return { events: follower.update(update), write: [] }
    // Before the prompt, and after its answer, an agent only repeats what was said before.
    if (waiting === 'session') history.see(update)
    return NOTHING
  }

  function decide(requestId: string, allowed: boolean): DialogueStep {
    const request = asked.get(requestId)
    if (request === undefined) return NOTHING
    asked.delete(requestId)
    if (!allowed) follower.calls.refuse(request.callId)
    return { events: [], write: [permissionLine(request, allowed)] }
  }

  return {
    begin: () => send('greeting', 'initialize', GREETING),
    read(line) {
      const message = readMessage(line)
      return message === null ? strangeLine(line) : onMessage(message)
    },
    next: sendPrompt,
    answer: ({ requestId }, { kind }) => decide(requestId ?? '', kind === 'allow'),
    rule: (requestId, { kind }) => decide(requestId, kind === 'pass'),
    interrupt: () => ({ events: [], write: [notificationLine('session/cancel', { sessionId })] }),
  }

  function onMessage(message: AcpMessage): DialogueStep {
    if (message.kind === 'answer') return onAnswer(message.id, message.result)
    if (message.kind === 'failure') return onFailure(message.id, message.error)
    if (message.kind === 'request') return onRequest(message.id, message.method, message.params)
    return message.method === 'session/update' ? onUpdate(message.params) : NOTHING
  }
}

function noteIn(opened: Fields, way: AcpHabits['openingNote']): string | null {
  if (way === null) return null
  return textIn(way.reduce<unknown>((part, name) => fieldsIn(part)?.[name], opened))
}

function strangeLine(line: string): DialogueStep {
  if (line.trim() === '') return NOTHING
  const raw = line.slice(0, MAX_RAW_CHARS)
  return { events: [{ type: 'unknown', kind: 'no-message', raw }], write: [] }
}
