// How one talks to an agent over ACP: greeting, session, prompt. A pure state machine: lines in, events and lines out.
import type { Continuation } from '../../core/decide/continuation.ts'
import type { AgentEvent } from '../../core/run/events.ts'
import type { Dialogue, DialogueStep } from '../adapter.ts'
import { type Fields, fieldsIn, textIn } from '../fields.ts'
import { type AcpHabits, acpHabitsOf } from './habits.ts'
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
  /** The latest prompt that the session must hold when it is loaded; `null`: any history will do. */
  readonly knownPrompt: string | null
  readonly workDir: string
  /** `null`: as the agent's own settings say. */
  readonly model: string | null
  readonly mode: string | null
  /** Who decides when the agent asks for permission. */
  readonly permissions: 'ask-user' | 'ask-us' | 'refuse'
  /** The process is kept for another prompt. */
  readonly stays: boolean
}

export type AcpDialogue = Required<Pick<Dialogue, 'begin' | 'read' | 'answer' | 'rule'>> & {
  /** Another prompt for the same session, after the result of the last one. */
  next(prompt: string): DialogueStep
  interrupt(): DialogueStep
}

const PROTOCOL_VERSION = 1
const METHOD_NOT_FOUND = -32601
const MAX_RAW_CHARS = 4_000
const NOTHING: DialogueStep = { events: [], write: [] }

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
  let follower: TurnFollower = followPrompt(habits)
  /** What a loaded session has replayed of the user's words. */
  let replayed = ''
  const asked = new Map<string, PermissionRequest>()

  function send(next: Waiting, method: string, params: object): DialogueStep {
    waiting = next
    return { events: [], write: [requestLine(++lastId, method, params)] }
  }

  function fail(subtype: string, errors: readonly string[]): DialogueStep {
    waiting = 'nothing'
    return { events: [follower.failed(subtype, { sessionId, errors })], write: [], close: true }
  }

  function greeted(result: Fields): DialogueStep {
    const about = fieldsIn(result.agentInfo)
    version = textIn(about?.version)
    habits = acpHabitsOf(textIn(about?.name))
    follower = followPrompt(habits)
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
    const isLoaded = sessionId !== null
    // Some agents begin a new session under an id that they do not know, and call that a success.
    if (isLoaded && !holdsHistory())
      return fail('session-lost', ['the loaded session has another history'])
    sessionId ??= textIn(result.sessionId)
    if (sessionId === null) return fail('no-session', ['the agent named no session'])
    const found = settingRequests(sessionId, result, turn)
    if ('problem' in found) return fail('setting-refused', [found.problem])
    settings = found.requests
    const step = goOn()
    return { ...step, events: [sessionEvent(sessionId, found), ...step.events] }
  }

  function holdsHistory(): boolean {
    if (turn.knownPrompt === null) return replayed !== ''
    return replayed.includes(turn.knownPrompt.trim())
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
    return sendPrompt(turn.prompt)
  }

  function sendPrompt(text: string): DialogueStep {
    follower = followPrompt(habits)
    return send('answer', 'session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
  }

  function answered(result: Fields): DialogueStep {
    waiting = 'nothing'
    const events = [...follower.calls.endRefused(), follower.ended(result, sessionId)]
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
    if (turn.permissions === 'refuse') {
      follower.calls.refuse(request.callId)
      return { events, write: [permissionLine(request, false)] }
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
    if (waiting === 'session' && update.sessionUpdate === 'user_message_chunk')
      replayed += `${textIn(fieldsIn(update.content)?.text) ?? ''}\n`
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
    begin: () =>
      send('greeting', 'initialize', {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: 'reprise', version: '1' },
      }),
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

function strangeLine(line: string): DialogueStep {
  if (line.trim() === '') return NOTHING
  const raw = line.slice(0, MAX_RAW_CHARS)
  return { events: [{ type: 'unknown', kind: 'no-message', raw }], write: [] }
}
