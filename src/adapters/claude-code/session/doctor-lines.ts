// Reads the lines of a session file that may be damaged: keeps what can be read, and says what is wrong with the rest.
import {
  type DamageKind,
  damageOf,
  type SessionDamage,
} from '../../../core/conversation/session-damage.ts'
import { type Fields, fieldsIn, parseFields, textIn } from '../../fields.ts'
import { isMessage } from './session-chain.ts'

/** A line as it will be written. */
export type DoctorLine = {
  /** Of the file, from 1; `null`: the repair added it. */
  readonly number: number | null
  fields: Record<string, unknown>
  isChanged: boolean
}

export type ReadLines = { readonly lines: DoctorLine[]; readonly found: SessionDamage[] }

export type LineNeeds = {
  /** For answers that name none, when no other answer does. */
  readonly model: string | null
  readonly uuid: () => string
}

export function readLines(bytes: Uint8Array, needs: LineNeeds): ReadLines {
  const found: SessionDamage[] = []
  const parsed = [...byteLines(bytes)].flatMap(line => parsedLine(line, found))
  const models = parsed.map(({ fields }) => modelOf(fields)).filter(model => model !== null)
  const context = { model: models.at(-1) ?? needs.model, uuid: needs.uuid, found }
  let time: string | null =
    parsed.map(({ fields }) => timeOf(fields)).find(at => at !== null) ?? null
  const lines = parsed.filter(line => {
    if (line.fields.isSidechain === true || !isMessage(line.fields)) return true
    const isKept = mendMessage(line, { ...context, time })
    time = timeOf(line.fields) ?? time
    return isKept
  })
  return { lines, found }
}

type ByteLine = { readonly number: number; readonly bytes: Uint8Array; readonly isEnded: boolean }

function* byteLines(bytes: Uint8Array): Iterable<ByteLine> {
  for (let from = 0, number = 1; from < bytes.length; number += 1) {
    const end = bytes.indexOf(0x0a, from)
    const to = end < 0 ? bytes.length : end
    yield { number, bytes: bytes.subarray(from, to), isEnded: end >= 0 }
    from = to + 1
  }
}

function parsedLine({ number, bytes, isEnded }: ByteLine, found: SessionDamage[]): DoctorLine[] {
  const note = (kind: DamageKind) => found.push(damageOf(kind, number))
  const decoded = new TextDecoder().decode(bytes)
  const text = decoded.replaceAll('\0', '')
  if (text.length < decoded.length) note('nul-bytes')
  else if (!isText(bytes)) note('bad-text')
  if (text.trim() === '') return []
  const isChanged = text !== decoded || !isText(bytes)
  const whole = parseFields(text)
  if (whole) {
    if (!isEnded) note('torn-line')
    return [{ number, fields: { ...whole }, isChanged: isChanged || !isEnded }]
  }
  if (isJson(text)) {
    note(text.trim() === 'null' ? 'null-line' : 'stray-line')
    return []
  }
  const glued = gluedTo(text)
  note(glued.length > 0 ? 'glued-lines' : 'torn-line')
  return glued.map(fields => ({ number, fields: { ...fields }, isChanged: true }))
}

const LINE_BEGINS = /\{"(?:parentUuid|logicalParentUuid|type|uuid|sessionId)"/g

/** The agent appends the next line to whatever stands at the end of the file. */
function gluedTo(text: string): readonly Fields[] {
  for (const { index } of text.matchAll(LINE_BEGINS)) {
    const rest = index === 0 ? null : parseFields(text.slice(index))
    if (!rest || !isLine(rest)) continue
    const first = parseFields(text.slice(0, index))
    return first ? [first, rest] : [rest]
  }
  return []
}

/** A block of a message can end where its line is torn; lines of the agent name themselves or their session. */
function isLine({ uuid, sessionId, leafUuid }: Fields): boolean {
  return [uuid, sessionId, leafUuid].some(id => typeof id === 'string')
}

/** False: the line cannot be kept. */
function mendMessage(
  line: DoctorLine,
  context: LineNeeds & { readonly time: string | null; readonly found: SessionDamage[] },
): boolean {
  const note = (kind: DamageKind) => context.found.push(damageOf(kind, line.number))
  const change = (fields: Fields) => {
    line.fields = { ...line.fields, ...fields }
    line.isChanged = true
  }
  const { type } = line.fields
  const message = fieldsIn(line.fields.message)
  const hasContent = typeof message?.content === 'string' || Array.isArray(message?.content)
  const model = textIn(message?.model) || context.model
  if (!message || !hasContent || (type === 'assistant' && !model)) {
    note('no-message')
    return false
  }
  if (type === 'assistant' && !textIn(message.model)) {
    note('no-model')
    change({ message: { ...message, model } })
  }
  if (message.role !== type) {
    note('wrong-role')
    change({ message: { ...fieldsIn(line.fields.message), role: type } })
  }
  if (timeOf(line.fields) === null) {
    note('no-timestamp')
    change({ timestamp: context.time ?? new Date(0).toISOString() })
  }
  if (!textIn(line.fields.uuid)) {
    note('no-id')
    change({ uuid: context.uuid(), parentUuid: textIn(line.fields.parentUuid) })
  }
  return true
}

function modelOf({ type, message }: Fields): string | null {
  const model = type === 'assistant' ? textIn(fieldsIn(message)?.model) : null
  return model && model !== '<synthetic>' ? model : null
}

function timeOf({ timestamp }: Fields): string | null {
  const text = textIn(timestamp)
  return text !== null && !Number.isNaN(Date.parse(text)) ? text : null
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    // The decoder throws for bytes that are not UTF-8, and for nothing else.
    return false
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Not JSON: the caller says what it is then.
    return false
  }
}
