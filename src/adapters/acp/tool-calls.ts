// Calls of tools over ACP. An agent tells about a call in several steps; we report it once, when its input is known.
import type { AgentEvent } from '../../core/run/events.ts'
import { type Fields, fieldsIn, parseFields, textIn } from '../fields.ts'
import type { AcpHabits } from './habits.ts'

export type KnownCall = {
  readonly id: string
  /** The kind of the call in the words of ACP: `read`, `edit`, `execute` and so on. Titles differ by agent and by call. */
  readonly name: string
  /** As JSON text. */
  readonly input: string
}

export type ToolCalls = {
  /** Takes in a `tool_call`, a `tool_call_update` or the call of a request for permission. */
  update(call: Fields): readonly AgentEvent[]
  /** Reports a call now, also when it has not begun: somebody must decide about it. */
  report(call: Fields): { readonly call: KnownCall; readonly events: readonly AgentEvent[] }
  /** We have not allowed this call: its failure means that it did not run. */
  refuse(id: string): void
  /** The turn is over: results of refused calls about which the agent said nothing more. */
  endRefused(): readonly AgentEvent[]
}

type Followed = { fields: Fields; terminal: string; reported: boolean; ended: boolean }

/** `offered`: the kinds of the tools that the program offers in a tier; `null`: it chooses them itself. */
export function followToolCalls(
  { neverRan }: Pick<AcpHabits, 'neverRan'>,
  offered: readonly string[] | null,
): ToolCalls {
  const followed = new Map<string, Followed>()
  const refused = new Set<string>()

  function merge(call: Fields): { readonly id: string; readonly one: Followed } {
    const id = textIn(call.toolCallId) ?? ''
    const one = followed.get(id) ?? { fields: {}, terminal: '', reported: false, ended: false }
    const given = Object.entries(call).filter(([, value]) => value !== null && value !== undefined)
    one.fields = { ...one.fields, ...Object.fromEntries(given) }
    one.terminal = terminalText(call, one.terminal)
    followed.set(id, one)
    return { id, one }
  }

  function reportOnce(id: string, one: Followed): readonly AgentEvent[] {
    if (one.reported) return []
    one.reported = true
    return [{ type: 'tool', ...knownCall(id, one.fields), parentId: null }]
  }

  /** A tool that is offered could write these words itself. */
  const wasNotOffered = ({ kind }: Fields, text: string) =>
    offered?.includes(textIn(kind) ?? 'other') === false && neverRan?.test(text) === true

  return {
    update(call) {
      const { id, one } = merge(call)
      const status = textIn(call.status)
      const isOver = status === 'completed' || status === 'failed'
      const hasInput = inputOf(one.fields) !== null && one.fields.status === 'in_progress'
      const events = isOver || hasInput ? reportOnce(id, one) : []
      if (!isOver || one.ended) return events
      one.ended = true
      const text = resultText(call) || one.terminal
      const denied = status === 'failed' && (refused.has(id) || wasNotOffered(one.fields, text))
      return [...events, { type: 'tool-result', id, isError: status === 'failed', denied, text }]
    },
    report(call) {
      // What a request for permission says about the state of the call is not about its end.
      const { status: _, ...about } = call
      const { id, one } = merge(about)
      return { call: knownCall(id, one.fields), events: reportOnce(id, one) }
    },
    refuse: id => void refused.add(id),
    endRefused() {
      const open = [...refused].filter(id => followed.get(id)?.ended === false)
      return open.map(id => ({ type: 'tool-result', id, isError: true, denied: true, text: '' }))
    },
  }
}

function knownCall(id: string, fields: Fields): KnownCall {
  const input = inputOf(fields) ?? { title: textIn(fields.title) ?? '' }
  return { id, name: textIn(fields.kind) ?? 'other', input: JSON.stringify(input) }
}

/** Some agents show the arguments as a text of JSON before they say them as an object. */
function inputOf({ rawInput, content }: Fields): Fields | null {
  return fieldsIn(rawInput) ?? parseFields(contentText(content))
}

function resultText({ content, rawOutput }: Fields): string {
  const shown = contentText(content)
  if (shown !== '') return shown
  if (typeof rawOutput === 'string') return rawOutput
  return textIn(fieldsIn(rawOutput)?.output) ?? ''
}

/** What a command printed, where the agent tells it beside the protocol: piece by piece, or all of it so far. */
function terminalText({ _meta }: Fields, before: string): string {
  const meta = fieldsIn(_meta)
  const piece = textIn(fieldsIn(meta?.terminal_output_delta)?.data)
  if (piece !== null) return before + piece
  return textIn(fieldsIn(meta?.terminal_output)?.data) ?? before
}

function contentText(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content
    .map(part => textIn(fieldsIn(fieldsIn(part)?.content)?.text) ?? '')
    .filter(text => text !== '')
    .join('\n')
}
