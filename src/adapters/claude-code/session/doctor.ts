// Says what is wrong with a session file, and makes the text of a repaired copy. It never changes the file.
import type { KnownPart } from '../../../core/conversation/session.ts'
import {
  damageOf,
  type RepairedLines,
  type SessionDamage,
  type SessionRepair,
  type SessionRepairing,
} from '../../../core/conversation/session-damage.ts'
import { textIn } from '../../fields.ts'
import { type DoctorLine, readLines } from './doctor-lines.ts'
import { follow, idOf, isEntry, mendLinks } from './doctor-links.ts'
import { mendMessages } from './doctor-messages.ts'
import {
  chainIn,
  countMessages,
  entriesOf,
  isAnswer,
  isMessage,
  isPrompt,
} from './session-chain.ts'
import { BEGAN_EARLIER } from './written-session.ts'

export function repairSession(bytes: Uint8Array, repairing: SessionRepairing): SessionRepair {
  const { sessionId, known, uuid } = repairing
  const { lines: read, found } = readLines(bytes, repairing)
  const linked = mendLinks(read, found)
  const ours = withoutForeign(linked, { known, found })
  const mended = withBeginning(mendMessages(ours, { found, uuid }), { found, uuid })
  const lines = mended.filter(line => !pointsNowhere(line, mended))
  const conversation = chainIn(entriesOf(lines.filter(isEntry).map(({ fields }) => fields)))
  if (!conversation.some(({ fields }) => isPrompt(fields) || isAnswer(fields))) {
    return { found: [...found, damageOf('no-conversation', null)], text: null, lines: NO_LINES }
  }
  const text = lines.map(({ fields }) => `${JSON.stringify(renamed(fields, sessionId))}\n`).join('')
  return { found, text, lines: countsOf(lines, bytes) }
}

const NO_LINES: RepairedLines = { kept: 0, changed: 0, dropped: 0, added: 0 }

/** Leaves out what follows our last message. */
function withoutForeign(
  lines: readonly DoctorLine[],
  { known, found }: { readonly known: KnownPart; readonly found: SessionDamage[] },
): readonly DoctorLine[] {
  if (known.end === null) return lines
  const end = lines.findIndex(line => isEntry(line) && idOf(line) === known.end)
  if (end < 0) {
    found.push(damageOf('known-end-missing', null))
    return lines
  }
  const after = lines.slice(end + 1).filter(isEntry)
  if (countMessages(entriesOf(after.map(({ fields }) => fields))) === 0) return lines
  found.push(damageOf('foreign-turns', after[0]?.number ?? null))
  return lines.filter((line, index) => index <= end || !isEntry(line))
}

/** The model API wants a user's message first. */
function withBeginning(
  lines: readonly DoctorLine[],
  { found, uuid }: { readonly found: SessionDamage[]; readonly uuid: () => string },
): readonly DoctorLine[] {
  const entries = lines.filter(line => isEntry(line))
  const chain = chainIn(entriesOf(entries.map(({ fields }) => fields)))
  const firstId = chain.findLast(({ fields }) => isMessage(fields))?.uuid
  const first = entries.find(line => idOf(line) === firstId)
  if (first?.fields.type !== 'assistant') return lines
  found.push(damageOf('no-beginning', first.number))
  const { message: _, requestId: __, ...common } = first.fields
  const message = { role: 'user', content: BEGAN_EARLIER }
  const fields = { ...common, type: 'user', message, uuid: uuid() }
  const opening: DoctorLine = { number: null, fields, isChanged: true }
  follow(first, opening)
  return lines.flatMap(line => (line === first ? [opening, line] : [line]))
}

/** A record of the program about a message that is gone. */
function pointsNowhere({ fields }: DoctorLine, lines: readonly DoctorLine[]): boolean {
  const leaf = textIn(fields.leafUuid)
  return leaf !== null && !lines.some(line => idOf(line) === leaf)
}

function renamed(fields: Readonly<Record<string, unknown>>, sessionId: string) {
  return 'sessionId' in fields ? { ...fields, sessionId } : fields
}

function countsOf(lines: readonly DoctorLine[], bytes: Uint8Array): RepairedLines {
  const ofFile = new TextDecoder()
    .decode(bytes)
    .split('\n')
    .filter(line => line.trim() !== '')
  const numbers = new Set(lines.map(({ number }) => number).filter(number => number !== null))
  return {
    kept: lines.filter(({ isChanged }) => !isChanged).length,
    changed: lines.filter(({ number, isChanged }) => number !== null && isChanged).length,
    dropped: Math.max(0, ofFile.length - numbers.size),
    added: lines.filter(({ number }) => number === null).length,
  }
}
