// Checks the file of a session: whether the agent can continue it, whether it holds what Reprise knows, and its size before a run.

import type { KnownPart } from '../../../core/conversation/session.ts'
import type { SessionFileState } from '../../../core/decide/decision.ts'
import type { Files } from '../../../core/world.ts'
import { NOTHING_MARKED, type Runtime, type SessionMark, type SessionPlace } from '../../adapter.ts'
import { fieldsIn, numberIn, parseFields, textIn } from '../../fields.ts'
import { faultOf } from './doctor-messages.ts'
import {
  chainIn,
  countMessages,
  type Entry,
  entriesIn,
  messageChainOf,
  messagesAfter,
} from './session-chain.ts'
import { projectName, sessionPath } from './session-path.ts'

/** Files grow to hundreds of megabytes; the part that matters is at their end. */
const TAIL_BYTES = 64 * 1024
/** Every run ends with its cost, so a short read is mostly enough. */
const COST_TAIL_BYTES = 16 * 1024
const MAX_LOOK_BACK_BYTES = 8 * 1024 * 1024

export async function inspect(
  place: SessionPlace & { readonly known: KnownPart },
  runtime: Runtime,
  files: Files,
): Promise<SessionFileState> {
  const { known } = place
  const path = await sessionPath(place, files)
  if (path === null) return { state: 'unknown' }
  const stat = await files.stat(path)
  if (!stat || !(await isReachable(path, { place, runtime, files }))) {
    return { state: 'missing', path }
  }
  const damaged = (detail: string): SessionFileState => ({ state: 'damaged', path, detail })
  if (stat.kind !== 'file') return damaged('it is not a file')
  if (stat.sizeBytes === 0) return damaged('it is empty')
  let messages = 0
  for await (const tail of tails(path, { ...stat, tailBytes: TAIL_BYTES, files })) {
    const entries = entriesIn(tail.text)
    const faults = entries.map(({ fields }) => faultOf(fields)).find(fault => fault !== null)
    const detail = damageIn(tail.text) ?? faults
    if (detail) return damaged(detail)
    const chain = messageChainOf(entries, tail.isWhole ? 'beginning' : 'middle')
    if (chain === 'broken') return damaged('its last message follows one that is missing in it')
    const found = compared(tail, entries, known)
    messages = countMessages(entries)
    if (found === 'read-more') continue
    return typeof found === 'string' ? damaged(found) : found
  }
  // One line fills everything that was read: it is too large to judge.
  if (known.end === null) return { state: 'present' }
  const text = `"uuid":${JSON.stringify(known.end)}`
  const isHere = await holds(path, { text, sizeBytes: stat.sizeBytes, files })
  if (!isHere) return damaged(NOT_ALL)
  // Megabytes of other messages follow our last one: at least these were added.
  return { state: 'present', foreign: { messages: Math.max(1, messages), lastShared: null } }
}

type Tail = { readonly text: string; readonly isWhole: boolean }

const NOT_ALL = 'the last answer is missing in it'

/** What the end of the file says about the session; a text describes its damage. */
function compared(
  { text, isWhole }: Tail,
  entries: readonly Entry[],
  { end, anchors }: KnownPart,
): SessionFileState | 'read-more' | string {
  if (end === null) {
    if (holdsConversation(text)) return { state: 'present' }
    return isWhole ? 'it holds no message' : 'read-more'
  }
  const messages = messagesAfter(entries, end)
  if (messages === null) return isWhole ? NOT_ALL : 'read-more'
  if (messages === 0) return { state: 'present' }
  const known = new Set(anchors)
  const shared = chainIn(entries).find(({ uuid }) => known.has(uuid))
  if (!shared && !isWhole) return 'read-more'
  return { state: 'present', foreign: { messages, lastShared: shared?.uuid ?? null } }
}

/** Searches the whole file without parsing it. */
async function holds(
  path: string,
  { text, sizeBytes, files }: { text: string; sizeBytes: number; files: Files },
): Promise<boolean> {
  for (let from = 0; from < sizeBytes; from += MAX_LOOK_BACK_BYTES) {
    const to = Math.min(sizeBytes, from + MAX_LOOK_BACK_BYTES + text.length)
    const bytes = (await files.read(path, from, to)) ?? new Uint8Array()
    if (new TextDecoder().decode(bytes).includes(text)) return true
  }
  return false
}

export async function mark(place: SessionPlace, files: Files): Promise<SessionMark> {
  const path = await sessionPath(place, files)
  const stat = path === null ? null : await files.stat(path)
  if (path === null || stat?.kind !== 'file') return NOTHING_MARKED
  return { path, sizeBytes: stat.sizeBytes, costUsd: await costOf(path, stat.sizeBytes, files) }
}

/** Before 2.1.223 a session in another project's folder is not found by the agent. */
async function isReachable(
  path: string,
  { place, runtime, files }: { place: SessionPlace; runtime: Runtime; files: Files },
): Promise<boolean> {
  if (runtime.abilities.resumeAcrossWorkDirs) return true
  const workDir = (await files.realpath(place.workDir)) ?? place.workDir
  return path.endsWith(`/${projectName(workDir)}/${place.sessionId}.jsonl`)
}

async function costOf(path: string, sizeBytes: number, files: Files): Promise<number> {
  for await (const { text } of tails(path, { sizeBytes, tailBytes: COST_TAIL_BYTES, files })) {
    const line = completeLines(text).findLast(candidate => candidate.includes('"cost-state"'))
    const fields = line === undefined ? null : parseFields(line)
    if (fields?.type === 'cost-state') return numberIn(fields.totalCostUSD) ?? 0
  }
  return 0
}

/** Reads longer and longer ends of the file, each from the beginning of a line. */
async function* tails(
  path: string,
  { sizeBytes, tailBytes, files }: { sizeBytes: number; tailBytes: number; files: Files },
) {
  for (let length = tailBytes; ; length = Math.min(length * 4, MAX_LOOK_BACK_BYTES)) {
    const from = Math.max(0, sizeBytes - length)
    const bytes = (await files.read(path, from, sizeBytes)) ?? new Uint8Array()
    const text = new TextDecoder().decode(bytes)
    yield { text: from === 0 ? text : text.slice(text.indexOf('\n') + 1), isWhole: from === 0 }
    if (from === 0 || length >= MAX_LOOK_BACK_BYTES) return
  }
}

function completeLines(text: string): readonly string[] {
  return text.split('\n').filter(line => line.trim() !== '')
}

/** Each of these makes the agent lose an answer, refuse the session, or hang on it. */
function damageIn(text: string): string | null {
  if (text !== '' && !text.endsWith('\n')) return 'its last line is not finished'
  for (const line of completeLines(text)) {
    if (line.trim() === 'null') return 'it holds a line that is null'
    if (!line.includes('"assistant"')) continue
    const fields = parseFields(line)
    if (fields?.type !== 'assistant') continue
    const message = fieldsIn(fields.message)
    if (!message) return 'it holds an answer without a message'
    if (!textIn(message.model)) return 'it holds an answer without a model'
  }
  return null
}

function holdsConversation(text: string): boolean {
  return completeLines(text).some(line => {
    // To search a line is much faster than to parse it, and some are long.
    if (!line.includes('"user"') && !line.includes('"assistant"')) return false
    const type = parseFields(line)?.type
    return type === 'user' || type === 'assistant'
  })
}
