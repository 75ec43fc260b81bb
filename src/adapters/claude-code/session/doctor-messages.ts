// Mends the messages of a session file by the rules of the model API: every call has its result, no text is empty, no image too large.
import {
  type DamageKind,
  damageOf,
  type SessionDamage,
} from '../../../core/conversation/session-damage.ts'
import { type Fields, fieldsIn, fieldsOf, listIn, textIn } from '../../fields.ts'
import type { DoctorLine } from './doctor-lines.ts'
import { follow, idOf, isEntry, parentOf } from './doctor-links.ts'
import { isMessage } from './session-chain.ts'
import { END_UNKNOWN, NOTHING_SAID } from './written-session.ts'

/** The API takes no larger one, measured as the text that it is sent as. */
const MAX_IMAGE_CHARS = 5 * 1024 * 1024

export function mendMessages(
  lines: readonly DoctorLine[],
  { found, uuid }: { readonly found: SessionDamage[]; readonly uuid: () => string },
): readonly DoctorLine[] {
  const messages = lines.filter(line => isEntry(line) && isMessage(line.fields))
  const dropped = new Set<DoctorLine>()
  for (const line of messages) {
    const content = withoutLargeImages(contentOf(line))
    if (content !== contentOf(line)) change(line, content, { kind: 'oversized-image', found })
  }
  dropRepeatedCalls(messages, dropped, found)
  dropOrphanResults(messages, dropped, found)
  for (const line of messages) {
    const filled = dropped.has(line) ? null : withText(contentOf(line))
    if (filled !== null) change(line, filled, { kind: 'empty-message', found })
  }
  const kept = without(lines, dropped)
  return withMissingResults(kept, { found, uuid })
}

/** What makes the agent or the model API refuse a session with this line; `null`: nothing. */
export function faultOf(line: Fields): string | null {
  if (!isMessage(line)) return null
  const content = fieldsIn(line.message)?.content
  if (content !== undefined && withText(content) !== null) return 'it holds an empty message'
  return withoutLargeImages(content) === content ? null : 'it holds an image that is too large'
}

/** A line that follows a dropped one follows what that one followed. */
function without(
  lines: readonly DoctorLine[],
  dropped: ReadonlySet<DoctorLine>,
): readonly DoctorLine[] {
  const gone = new Map([...dropped].map(line => [idOf(line), parentOf(line)]))
  const kept = lines.filter(line => !dropped.has(line))
  for (const line of kept.filter(isEntry)) {
    let parent = parentOf(line)
    while (parent !== null && gone.has(parent)) parent = gone.get(parent) ?? null
    if (parent === parentOf(line)) continue
    line.fields = { ...line.fields, parentUuid: parent }
    line.isChanged = true
  }
  return kept
}

function dropRepeatedCalls(
  messages: readonly DoctorLine[],
  dropped: Set<DoctorLine>,
  found: SessionDamage[],
): void {
  const known = new Set<string>()
  for (const line of messages) {
    const repeated = callsIn(line).filter(id => known.has(id))
    for (const id of callsIn(line)) known.add(id)
    if (repeated.length === 0) continue
    found.push(damageOf('duplicate-id', line.number))
    dropBlocks(line, block => repeated.includes(textIn(block.id) ?? ''), dropped)
  }
}

function dropOrphanResults(
  messages: readonly DoctorLine[],
  dropped: Set<DoctorLine>,
  found: SessionDamage[],
): void {
  const open = new Set<string>()
  const answered = new Set<string>()
  for (const line of messages) {
    if (dropped.has(line)) continue
    const wrong = new Set<Fields>()
    for (const block of resultsIn(line)) {
      const id = textIn(block.tool_use_id) ?? ''
      if (open.has(id) && !answered.has(id)) answered.add(id)
      else {
        found.push(damageOf(open.has(id) ? 'double-result' : 'orphan-result', line.number))
        wrong.add(block)
      }
    }
    for (const id of callsIn(line)) open.add(id)
    if (wrong.size > 0) dropBlocks(line, block => wrong.has(block), dropped)
  }
}

function dropBlocks(
  line: DoctorLine,
  isWrong: (block: Fields) => boolean,
  dropped: Set<DoctorLine>,
): void {
  const rest = fieldsOf(contentOf(line)).filter(block => !isWrong(block))
  if (rest.length === 0) dropped.add(line)
  else setContent(line, rest)
}

/** The result stands with those of the other calls of its answer, or right after that answer. */
function withMissingResults(
  lines: readonly DoctorLine[],
  { found, uuid }: { readonly found: SessionDamage[]; readonly uuid: () => string },
): readonly DoctorLine[] {
  const mended = [...lines]
  const answered = new Set(lines.flatMap(resultsIn).map(block => textIn(block.tool_use_id)))
  const parked = parkedCalls(lines)
  for (const line of lines) {
    if (!isEntry(line)) continue
    for (const id of callsIn(line)) {
      if (answered.has(id) || parked.has(id)) continue
      found.push(damageOf('orphan-call', line.number))
      addResult(mended, { line, id, uuid })
    }
  }
  return mended
}

function addResult(
  lines: DoctorLine[],
  { line, id, uuid }: { line: DoctorLine; id: string; uuid: () => string },
): void {
  const block = { type: 'tool_result', tool_use_id: id, content: END_UNKNOWN, is_error: true }
  const message = answerOf(line)
  const answer = lines.filter(other => other === line || (message && answerOf(other) === message))
  const siblings = new Set(answer.flatMap(callsIn))
  const beside = lines.find(other =>
    resultsIn(other).some(({ tool_use_id: of }) => siblings.has(textIn(of) ?? '')),
  )
  if (beside) {
    setContent(beside, [block, ...listIn(contentOf(beside))])
    return
  }
  const last = answer.at(-1) ?? line
  const { message: _, requestId: __, uuid: ___, ...common } = last.fields
  const fields = {
    ...common,
    parentUuid: idOf(last),
    type: 'user',
    message: { role: 'user', content: [block] },
    uuid: uuid(),
  }
  const added: DoctorLine = { number: null, fields, isChanged: true }
  for (const other of lines)
    if (isEntry(other) && parentOf(other) === idOf(last)) follow(other, added)
  lines.splice(lines.indexOf(last) + 1, 0, added)
}

/** A call that waits on purpose has no result yet. */
function parkedCalls(lines: readonly DoctorLine[]): ReadonlySet<string> {
  const notes = lines.map(({ fields }) => fieldsIn(fields.attachment))
  return new Set(
    notes.flatMap(note =>
      note?.type === 'hook_deferred_tool' ? (textIn(note.toolUseID) ?? []) : [],
    ),
  )
}

/** `null`: it says something. A blank block beside others is normal: the agent sends none. */
function withText(content: unknown): unknown {
  if (typeof content === 'string') return content.trim() === '' ? NOTHING_SAID : null
  const saysSomething = fieldsOf(content).some(
    ({ type, text }) => type !== 'text' || String(text ?? '').trim() !== '',
  )
  return saysSomething ? null : [{ type: 'text', text: NOTHING_SAID }]
}

/** The same value where nothing is too large. */
function withoutLargeImages(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  const blocks = content.map(block => smallBlock(block))
  return blocks.some((block, index) => block !== content[index]) ? blocks : content
}

function smallBlock(block: unknown): unknown {
  const fields = fieldsIn(block)
  if (fields?.type === 'tool_result') {
    const content = withoutLargeImages(fields.content)
    return content === fields.content ? block : { ...fields, content }
  }
  const data = fields?.type === 'image' ? textIn(fieldsIn(fields.source)?.data) : null
  if (data === null || data.length <= MAX_IMAGE_CHARS) return block
  return {
    type: 'text',
    text: `(An image of ${data.length} characters was too large and is left out.)`,
  }
}

function change(
  line: DoctorLine,
  content: unknown,
  { kind, found }: { kind: DamageKind; found: SessionDamage[] },
): void {
  found.push(damageOf(kind, line.number))
  setContent(line, content)
}

function setContent(line: DoctorLine, content: unknown): void {
  line.fields = { ...line.fields, message: { ...fieldsIn(line.fields.message), content } }
  line.isChanged = true
}

function contentOf({ fields }: DoctorLine): unknown {
  return fieldsIn(fields.message)?.content
}

function answerOf({ fields }: DoctorLine): string | null {
  return fields.type === 'assistant' ? textIn(fieldsIn(fields.message)?.id) : null
}

function callsIn(line: DoctorLine): readonly string[] {
  if (line.fields.type !== 'assistant') return []
  return fieldsOf(contentOf(line)).flatMap(({ type, id }) =>
    type === 'tool_use' ? (textIn(id) ?? []) : [],
  )
}

function resultsIn(line: DoctorLine): readonly Fields[] {
  if (line.fields.type !== 'user' || line.fields.isSidechain === true) return []
  return fieldsOf(contentOf(line)).filter(({ type }) => type === 'tool_result')
}
