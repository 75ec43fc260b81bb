// Versions of a message: after an edit, a retry or a new prompt in its place, the thread keeps the others too.
import type { Message } from './messages.ts'

/** The place of a message among those that follow the same message, in the order in which they were written. */
export type MessageVersions = {
  /** Counts from 1. */
  readonly position: number
  readonly count: number
  readonly previousId: string | null
  readonly nextId: string | null
}

/** A message of a branch; with `versions` only when there are others. */
export type BranchMessage = Message & { readonly versions?: MessageVersions | undefined }

/** Each list holds the ids of all versions of one message, in order. */
export function withVersions(
  messages: readonly Message[],
  lists: readonly (readonly string[])[],
): readonly BranchMessage[] {
  const listOf = new Map(lists.flatMap(list => list.map(id => [id, list] as const)))
  return messages.map(message => {
    const list = listOf.get(message.id) ?? []
    if (list.length < 2) return message
    const index = list.indexOf(message.id)
    const versions = {
      position: index + 1,
      count: list.length,
      previousId: list[index - 1] ?? null,
      nextId: list[index + 1] ?? null,
    }
    return { ...message, versions }
  })
}
