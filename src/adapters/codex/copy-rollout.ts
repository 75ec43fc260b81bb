// Makes the text of a rollout file under another id, for another machine: what was said and called, and nothing that rules the program.
import { type Fields, fieldsIn, textIn } from '../fields.ts'
import { forkedFrom, linesIn } from './rollout.ts'

/** Of the first line. Instructions, rules and the provider of the other machine stay there; codex adds its own. */
const META = ['timestamp', 'originator', 'cli_version', 'source', 'thread_source', 'history_mode']
/** The course of the turns, and what they used. */
const EVENTS = new Set(['task_started', 'item_completed', 'token_count', 'task_complete'])
/** Codex makes messages of other roles itself: its rules and its permissions. */
const ROLES = new Set(['user', 'assistant'])
/** A user's message of this kind is codex speaking of the machine. */
const OF_MACHINE = /^environments\./

type Target = { readonly sessionId: string; readonly workDir: string }

/** An empty text: a fork is of no use without the file that it continues. */
export function copyRollout(file: Uint8Array, target: Target): string {
  const lines = linesIn(file)
  const [first] = lines
  if (first?.type !== 'session_meta' || forkedFrom(lines) !== null) return ''
  return [
    metaOf(first, target),
    ...lines
      .slice(1)
      .filter(isKept)
      .map(line => renamed(line, target)),
  ]
    .map((line, ordinal) => `${JSON.stringify({ ...line, ordinal })}\n`)
    .join('')
}

function metaOf(first: Fields, { sessionId, workDir }: Target): Fields {
  const payload = fieldsIn(first.payload) ?? {}
  const kept = META.flatMap(name => (name in payload ? [[name, payload[name]] as const] : []))
  const ids = { session_id: sessionId, id: sessionId }
  return { ...first, payload: { ...Object.fromEntries(kept), ...ids, cwd: workDir } }
}

function isKept(line: Fields): boolean {
  const payload = fieldsIn(line.payload)
  if (payload === null) return false
  const type = textIn(payload.type) ?? ''
  if (line.type === 'token_usage_record') return true
  if (line.type === 'event_msg') return EVENTS.has(type) && itemType(payload) !== 'Reasoning'
  if (line.type !== 'response_item') return false
  if (type === 'message') return ROLES.has(textIn(payload.role) ?? '') && !isOfMachine(payload)
  return /_call(?:_output)?$/.test(type)
}

function itemType(payload: Fields): string | null {
  return textIn(fieldsIn(payload.item)?.type)
}

function isOfMachine(payload: Fields): boolean {
  const { content_item_kinds: kinds } =
    fieldsIn(payload.internal_chat_message_metadata_passthrough) ?? {}
  return Array.isArray(kinds) && kinds.some(kind => OF_MACHINE.test(String(kind)))
}

function renamed(line: Fields, { sessionId }: Target): Fields {
  const payload = fieldsIn(line.payload) ?? {}
  const ids = ['thread_id', 'session_id'].filter(name => name in payload)
  return { ...line, payload: { ...payload, ...Object.fromEntries(ids.map(id => [id, sessionId])) } }
}
