// What was done so far, for a run that does not continue the session: the tiers of a chain, or the turns of a thread (thread-note.ts). It is
// made from the store, checked and bounded.
import type { Message, ToolUse } from '../conversation/messages.ts'
import type { Finding, Verdict } from './verdict.ts'

export type NotedTool = {
  readonly name: string
  readonly input: string
  readonly result: string
}

export type NotedTier = {
  readonly tier: number
  readonly name: string
  readonly verdict: Verdict['verdict'] | null
  readonly summary: string
  readonly reason: string
  readonly findings: readonly Finding[]
  readonly tools: readonly NotedTool[]
  /** How many tool calls did not fit. */
  readonly toolsLeftOut: number
}

export type HandoverNote = {
  readonly version: 1
  /** In a thread: its first message. */
  readonly task: string
  /** Empty in a thread. */
  readonly tiers: readonly NotedTier[]
  /** The latest turns of a thread; absent in a chain. */
  readonly turns?: readonly NotedTurn[]
  /** How many earlier turns did not fit. */
  readonly turnsLeftOut?: number
}

/** One turn of a thread: what the user asked, and what came of it. */
export type NotedTurn = {
  /** Counts from 1 within the thread. */
  readonly turn: number
  readonly asked: string
  /** Who answered; `null`: nobody did. */
  readonly agent: string | null
  readonly answered: string
  /** The turn ended before the agent was done. */
  readonly interrupted: boolean
  readonly tools: readonly NotedTool[]
  /** How many tool calls did not fit. */
  readonly toolsLeftOut: number
}

export type DoneTier = {
  readonly tier: number
  readonly name: string
  readonly verdict: Verdict | null
  readonly answers: readonly Message[]
}

export const MAX_NOTE_CHARS = 24_000
export const MAX_TASK_CHARS = 4_000
/** Shorter and shorter, until the note fits. */
const RESULT_CHARS = [1_500, 600, 200, 60]
const MOST_TOOLS = 60

type Room = {
  readonly summaryChars: number
  /** Of a reason, and of each part of a finding. */
  readonly detailChars: number
  readonly findings: number
}

const WIDE: Room = { summaryChars: 2_000, detailChars: 400, findings: 30 }
/** When the tiers are too long without their calls, each of them says less. */
const NARROW: readonly Room[] = [
  { summaryChars: 2_000, detailChars: 150, findings: 30 },
  { summaryChars: 1_000, detailChars: 100, findings: 15 },
  { summaryChars: 400, detailChars: 100, findings: 5 },
  { summaryChars: 200, detailChars: 100, findings: 0 },
]

export function buildNote(task: string, tiers: readonly DoneTier[]): HandoverNote {
  for (const resultChars of RESULT_CHARS) {
    for (const most of [MOST_TOOLS, 20, 5, 0]) {
      const note = noteWith({ task, tiers, resultChars, most, room: WIDE })
      if (noteText(note).length <= MAX_NOTE_CHARS) return note
    }
  }
  for (const room of NARROW) {
    const note = noteWith({ task, tiers, resultChars: 0, most: 0, room })
    if (noteText(note).length <= MAX_NOTE_CHARS) return note
  }
  return { version: 1, task: shortened(task, MAX_TASK_CHARS), tiers: [] }
}

/** What is wrong with a note; `null` when it may be used. */
export function problemOfNote(note: HandoverNote): string | null {
  const text = noteText(note)
  if (text.length > MAX_NOTE_CHARS) return `it has ${text.length} characters`
  if (note.task === '') return 'it names no task'
  const numbers = note.tiers.map(({ tier }) => tier)
  const isOrdered = numbers.every((tier, at) => tier > (numbers[at - 1] ?? 0))
  return isOrdered ? null : 'its tiers are not in order'
}

/** `null`: the agent gets the transcript instead. */
export function usableNote(note: HandoverNote): HandoverNote | null {
  return problemOfNote(note) === null ? note : null
}

export function noteText({ tiers, ...note }: HandoverNote): string {
  const { version, task } = note
  return JSON.stringify(note.turns ? note : { version, task, tiers }, null, 1)
}

type Making = {
  readonly task: string
  readonly tiers: readonly DoneTier[]
  readonly resultChars: number
  readonly most: number
  readonly room: Room
}

function noteWith({ task, tiers, resultChars, most, room }: Making): HandoverNote {
  return {
    version: 1,
    task: shortened(task, MAX_TASK_CHARS),
    tiers: tiers.map(({ tier, name, verdict, answers }) => {
      const calls = answers.flatMap(({ tools }) => tools)
      // The latest tier knows most.
      const kept = most === 0 ? [] : calls.slice(-most)
      const said = answers.at(-1)?.text ?? ''
      return {
        tier,
        name,
        verdict: verdict?.verdict ?? null,
        summary: shortened(verdict?.summary || said, room.summaryChars),
        reason: shortened(verdict?.reason ?? '', room.detailChars),
        findings: (verdict?.findings ?? [])
          .slice(0, room.findings)
          .map(finding => shortFinding(finding, room.detailChars)),
        tools: kept.map(tool => notedTool(tool, resultChars)),
        toolsLeftOut: calls.length - kept.length,
      }
    }),
  }
}

function shortFinding({ service, status, detail }: Finding, detailChars: number): Finding {
  const short = (text: string) => shortened(text, detailChars)
  return { service: short(service), status: short(status), detail: short(detail) }
}

export function notedTool(
  { name, input, result, isError }: ToolUse,
  resultChars: number,
): NotedTool {
  const gave = result === null ? '(how it ended is not known)' : shortened(result, resultChars)
  return {
    name,
    input: shortened(input, Math.min(400, resultChars)),
    result: isError ? `failed: ${gave}` : gave,
  }
}

export function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  return `${text.slice(0, maxChars - 1)}…`.toWellFormed()
}
