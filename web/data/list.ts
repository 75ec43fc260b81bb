// A list that grows page by page: read again from the top when it changes, as far as it was shown.
import { useState } from 'preact/hooks'
import type { Query } from '../../src/client/http.ts'
import { readPage } from './client.ts'
import { type Resource, useResource } from './resource.ts'
import type { Topic } from './topics.ts'

export type Listed<T> = {
  readonly items: readonly T[]
  /** How many match in all; `undefined` when the daemon does not count them. */
  readonly total: number | undefined
  readonly hasMore: boolean
}

const FIRST_PAGE = 50
const MOST_PER_PAGE = 200

/** `more` shows the next page. */
export function useList<T>(
  path: string,
  query: Query,
  topics: readonly Topic[],
): Resource<Listed<T>> & { readonly more: () => void } {
  const name = `${path}?${new URLSearchParams(given(query))}`
  const [wanted, setWanted] = useState({ name, count: FIRST_PAGE })
  const count = wanted.name === name ? wanted.count : FIRST_PAGE
  const resource = useResource<Listed<T>>(
    `${name}#${count}`,
    signal => readUpTo<T>(path, query, { count, signal }),
    topics,
  )
  const more = () => setWanted({ name, count: count + (count < 200 ? FIRST_PAGE : MOST_PER_PAGE) })
  return { ...resource, more }
}

type Reading = { readonly count: number; readonly signal: AbortSignal }

async function readUpTo<T>(
  path: string,
  query: Query,
  { count, signal }: Reading,
): Promise<Listed<T>> {
  const items: T[] = []
  let cursor: string | undefined
  let total: number | undefined
  do {
    const limit = Math.min(MOST_PER_PAGE, count - items.length)
    const page = await readPage<T>(path, { ...query, cursor, limit }, signal)
    items.push(...page.items)
    total ??= page.total
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && items.length < count)
  return { items, total, hasMore: cursor !== undefined }
}

function given(query: Query): Record<string, string> {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  return Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]))
}
