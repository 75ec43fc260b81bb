// What the commit of a checkpoint says about it, as JSON in the body of its message.
import type { Checkpoint } from './checkpoint.ts'

export type Note = Pick<Checkpoint, 'kind' | 'attempt' | 'at' | 'head' | 'notKept'>

/** Earlier versions wrote `<job>/<attempt>` instead of the number. */
type OldNote = { readonly runId?: string | null }

/** The note that Reprise wrote. A commit of somebody else under our refs has none, and is listed without details. */
export function noteIn(body: string): Note {
  try {
    const { runId, ...note } = JSON.parse(body) as Note & OldNote
    return { ...note, attempt: note.attempt ?? attemptIn(runId) }
  } catch {
    // It is not our note.
    const head = { commit: null, branch: null }
    return { kind: 'safety', attempt: null, at: 0, head, notKept: [] }
  }
}

function attemptIn(runId: string | null | undefined): number | null {
  const number = Number(runId?.split('/')[1] ?? Number.NaN)
  return Number.isInteger(number) ? number : null
}
