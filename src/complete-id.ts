// Completes an id: a person may give the unique beginning of one, with or without `run_`. For the CLI and the daemon.
import type { Reprise } from './api.ts'
import { ID_BEGINNINGS, type IdSubject } from './core/id-kind.ts'
import { RepriseError } from './errors.ts'

/** Ids as Reprise makes them. They need no search: a verb itself says when there is none. */
const WHOLE = /^[a-z]{3}_[a-z2-7]{16}$/
/** No id has other characters, and then there is nothing to search for. */
const POSSIBLE = /^[A-Za-z0-9_-]{1,128}$/
const MOST_SHOWN = 10

export type GivenId = { readonly text: string; readonly kinds: readonly IdSubject[] }

export type FindsIds = Pick<Reprise, 'findIds'>

export function isWholeId(text: string): boolean {
  return WHOLE.test(text)
}

/** Gives the text back when no id begins with it: the verb that needs the id says so in its own words. */
export async function completeId(reprise: FindsIds, { text, kinds }: GivenId): Promise<string> {
  if (isWholeId(text) || !POSSIBLE.test(text)) return text
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
