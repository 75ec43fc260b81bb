// What to know about a turn before it is sent: the run under way, messages that leave the branch, files that stay.
import type { Message } from '../conversation/messages.ts'

export type NotesInput = {
  /** A run of the thread is queued, running or waits for an answer. */
  readonly isBusy: boolean
  /** The turn goes on from an earlier message; `null`: from the last one. */
  readonly dropped: readonly Message[] | null
  readonly workDir: string
  /** The tools that write a file → the field of their input that names it. */
  readonly writingTools: Readonly<Record<string, string>>
  readonly shellTools: readonly string[]
}

/** Says in sentences what a turn means for the run under way, for messages that leave the branch, and for files. */
export function previewNotes(input: NotesInput): readonly string[] {
  const { isBusy, dropped } = input
  if (dropped === null) {
    return isBusy ? ['A run is under way; this turn waits until it has ended.'] : []
  }
  return [
    ...(isBusy ? ['A run is under way; it must be stopped first.'] : []),
    ...branchNote(dropped.length),
    ...fileNote(dropped, input),
  ]
}

function branchNote(count: number): readonly string[] {
  if (count === 0) return []
  const who = count === 1 ? '1 message leaves' : `${count} messages leave`
  return [`${who} this branch and ${count === 1 ? 'stays' : 'stay'} stored.`]
}

function fileNote(dropped: readonly Message[], input: NotesInput): readonly string[] {
  const calls = dropped.flatMap(({ tools }) => tools).filter(({ isError }) => !isError)
  const files = new Set(
    calls.flatMap(({ name, input: json }) => {
      const field = input.writingTools[name]
      return (field === undefined ? null : textField(json, field)) ?? []
    }),
  )
  const [first] = files
  const commands = calls.filter(({ name }) => input.shellTools.includes(name)).length
  const facts = [
    ...(first === undefined ? [] : [writtenWords(within(input.workDir, first), files.size)]),
    ...(commands === 0 ? [] : [commands === 1 ? '1 command ran' : `${commands} commands ran`]),
  ]
  if (facts.length === 0) return []
  const what = facts.join(' and ')
  return [
    `Files stay as they are: ${what} after this message. The agent is not asked to undo that.`,
  ]
}

function writtenWords(first: string, count: number): string {
  return count === 1 ? `${first} was written` : `${first} and ${count - 1} more were written`
}

/** Stored inputs may be cut off, so the field is read without the rest. */
function textField(json: string, field: string): string | null {
  const found = new RegExp(`"${field}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(json)?.[1]
  if (found === undefined) return null
  try {
    return String(JSON.parse(found))
  } catch {
    // A text with an impossible escape was not written by an agent's own JSON encoder.
    return null
  }
}

function within(workDir: string, path: string): string {
  return path.startsWith(`${workDir}/`) ? path.slice(workDir.length + 1) : path
}
