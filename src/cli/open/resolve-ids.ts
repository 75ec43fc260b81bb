// Completes ids before a verb runs: a user may type the unique beginning of an id.
import { completeId, type GivenId, isWholeId } from '../../complete-id.ts'
import { ID_KINDS, type IdSubject } from '../../core/id-kind.ts'
import type { Io } from '../start/io.ts'
import { withReprise } from './open.ts'

/** Gives the ids in the same order. Opens nothing when all of them are whole. */
export async function completeIds(io: Io, typed: readonly GivenId[]): Promise<readonly string[]> {
  if (typed.every(({ text }) => isWholeId(text))) return typed.map(({ text }) => text)
  return withReprise(io, async reprise => {
    const ids: string[] = []
    for (const id of typed) ids.push(await completeId(reprise, id))
    return ids
  })
}

export function isIdKind(name: string): name is IdSubject {
  return ID_KINDS.some(kind => kind === name)
}
