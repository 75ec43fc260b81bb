// The handover note of a thread: what was asked, answered and done in its turns, the latest ones in most detail.
import type { Message } from '../conversation/messages.ts'
import {
  type HandoverNote,
  MAX_NOTE_CHARS,
  MAX_TASK_CHARS,
  type NotedTurn,
  notedTool,
  noteText,
  shortened,
} from './handover-note.ts'

type Room = {
  readonly askedChars: number
  readonly answeredChars: number
  readonly resultChars: number
  /** The note names the latest calls; of the others it has only the number. */
  readonly calls: number
}

/** Each turn says less and less, until the note fits. */
const ROOMS: readonly Room[] = [
  { askedChars: 4_000, answeredChars: 4_000, resultChars: 1_500, calls: 60 },
  { askedChars: 2_000, answeredChars: 2_000, resultChars: 600, calls: 30 },
  { askedChars: 2_000, answeredChars: 1_000, resultChars: 200, calls: 20 },
  { askedChars: 1_000, answeredChars: 500, resultChars: 60, calls: 10 },
]
/** When even that is too long, the oldest turns are left out. */
const NARROW: Room = { askedChars: 600, answeredChars: 300, resultChars: 60, calls: 5 }

export function buildThreadNote(view: readonly Message[]): HandoverNote {
  const turns = turnsIn(view)
  const first = turns.find(({ asked }) => asked !== null)?.asked ?? ''
  const task = shortened(first, MAX_TASK_CHARS)
  for (const room of ROOMS) {
    const note = {
      version: 1,
      task,
      tiers: [],
      turns: noted(turns, room),
      turnsLeftOut: 0,
    } as const
    if (noteText(note).length <= MAX_NOTE_CHARS) return note
  }
  return latestOf(task, noted(turns, NARROW))
}

function latestOf(task: string, turns: readonly NotedTurn[]): HandoverNote {
  const noteOf = (turnsLeftOut: number): HandoverNote => ({
    ...{ version: 1, task, tiers: [] },
    turns: turns.slice(turnsLeftOut),
    turnsLeftOut,
  })
  // The more turns are left out, the shorter is the note.
  let [fits, tooFew] = [turns.length, -1]
  while (fits - tooFew > 1) {
    const middle = Math.floor((fits + tooFew) / 2)
    if (noteText(noteOf(middle)).length <= MAX_NOTE_CHARS) fits = middle
    else tooFew = middle
  }
  return noteOf(fits)
}

/** `asked` is null where nobody asked. */
type DoneTurn = { readonly asked: string | null; readonly answers: readonly Message[] }

/** The note says its task once. */
const THE_TASK = '(the task)'

/** Each message of the user begins a turn. */
function turnsIn(view: readonly Message[]): readonly DoneTurn[] {
  const turns: { asked: string | null; answers: Message[] }[] = []
  for (const message of view) {
    const current = turns.at(-1)
    if (message.role === 'user') turns.push({ asked: message.text, answers: [] })
    else if (current) current.answers.push(message)
    else turns.push({ asked: null, answers: [message] })
  }
  return turns
}

function noted(turns: readonly DoneTurn[], room: Room): readonly NotedTurn[] {
  const calls = turns.map(({ answers }) => answers.flatMap(({ tools }) => tools))
  const task = turns.findIndex(({ asked }) => asked !== null)
  return turns.map(({ asked, answers }, index) => {
    const own = calls[index] ?? []
    const later = calls.slice(index + 1).reduce((sum, { length }) => sum + length, 0)
    const kept = own.slice(Math.max(0, own.length - Math.max(0, room.calls - later)))
    return {
      turn: index + 1,
      asked: index === task ? THE_TASK : shortened(asked ?? '', room.askedChars),
      agent: answers.at(-1)?.agent ?? null,
      answered: shortened(answers.map(({ text }) => text).join('\n\n'), room.answeredChars),
      interrupted: answers.at(-1)?.interrupted ?? false,
      tools: kept.map(tool => notedTool(tool, room.resultChars)),
      toolsLeftOut: own.length - kept.length,
    }
  })
}
