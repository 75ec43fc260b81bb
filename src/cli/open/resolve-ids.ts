// Completes ids before a verb runs: a user may type the unique beginning of an id, with or without `run_`.
import type { Reprise } from '../../api.ts'
import { ID_BEGINNINGS, ID_KINDS, type IdSubject } from '../../core/id-kind.ts'
import { RepriseError } from '../../errors.ts'
import type { Io } from '../start/io.ts'
import { withReprise } from './open.ts'

/** Ids as Reprise makes them. They need no search: a verb itself says when there is none. */
const WHOLE = /^[a-z]{3}_[a-z2-7]{16}$/
/** No id has other characters, and then there is nothing to search for. */
const POSSIBLE = /^[A-Za-z0-9_-]{1,128}$/
const MOST_SHOWN = 10

export type TypedId = { readonly text: string; readonly kinds: readonly IdSubject[] }

/** Gives the ids in the same order. Opens nothing when all of them are whole. */
export async function completeIds(io: Io, typed: readonly TypedId[]): Promise<readonly string[]> {
  if (typed.every(({ text }) => WHOLE.test(text))) return typed.map(({ text }) => text)
  return withReprise(io, async reprise => {
    const ids: string[] = []
    for (const id of typed) ids.push(await completeId(reprise, id))
    return ids
  })
}

type FindsIds = Pick<Reprise, 'findIds'>

export async function completeId(reprise: FindsIds, { text, kinds }: TypedId): Promise<string> {
  if (WHOLE.test(text) || !POSSIBLE.test(text)) return text
  const found = await Promise.all(kinds.map(kind => idsLike(reprise, kind, text)))
  const ids = found.flat()
  const [only, ...others] = ids
  if (ids.includes(text) || only === undefined) return text
  if (others.length === 0) return only
  const more = ids.length > MOST_SHOWN ? ', …' : ''
  throw new RepriseError(
    'bad-input',
    `\`${text}\` is the beginning of more than one id: ${ids.slice(0, MOST_SHOWN).join(', ')}${more}`,
    'Give more letters of the id.',
  )
}

async function idsLike(
  reprise: FindsIds,
  kind: IdSubject,
  text: string,
): Promise<readonly string[]> {
  const start = ID_BEGINNINGS[kind]
  const beginnings = text.startsWith(start) ? [text] : [text, start + text]
  const limit = MOST_SHOWN + 1
  const found = await Promise.all(
    beginnings.map(beginning => reprise.findIds({ kind, beginning, limit })),
  )
  return [...new Set(found.flat())]
}

export function isIdKind(name: string): name is IdSubject {
  return ID_KINDS.some(kind => kind === name)
}
