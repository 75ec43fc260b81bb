// A list that grows page by page: read again from the top when it changes, as far as it was shown.
import { useRef, useState } from 'preact/hooks'
import type { Query } from '../../src/client/http.ts'
import type { Topic } from '../feed/topics.ts'
import { readPage } from './client.ts'
import { type Resource, useResource } from './resource.ts'

export type Listed<T> = {
  readonly items: readonly T[]
  /** How many match in all; `undefined` when the daemon does not count them. */
  readonly total: number | undefined
  readonly hasMore: boolean
  /** Where the next page begins. */
  readonly cursor: string | undefined
}

const NOTHING: Listed<never> = { items: [], total: undefined, hasMore: false, cursor: undefined }

const FIRST_PAGE = 50
const MOST_PER_PAGE = 200

/** `more` shows the next page. */
export type GrowingList<T> = Resource<Listed<T>> & { readonly more: () => void }

export function useList<T>(path: string, query: Query, topics: readonly Topic[]): GrowingList<T> {
  const name = `${path}?${new URLSearchParams(given(query))}`
  const [wanted, setWanted] = useState({ name, count: FIRST_PAGE })
  const count = wanted.name === name ? wanted.count : FIRST_PAGE
  const shown = useRef<{ readonly name: string; readonly listed: Listed<T> } | null>(null)
  const before = shown.current?.name === name ? shown.current.listed : undefined
  const resource = useResource<Listed<T>>(
    `${name}#${count}`,
    async signal => {
      // `more` reads the next page only. After a change, the list reads again all that it shows.
      const start = before?.cursor !== undefined && before.items.length < count ? before : NOTHING
      const listed = await readUpTo<T>(path, query, { count, signal, start })
      shown.current = { name, listed }
      return listed
    },
    topics,
  )
  const more = () => setWanted({ name, count: count + (count < 200 ? FIRST_PAGE : MOST_PER_PAGE) })
  return { ...resource, value: resource.value ?? before, more }
}

type Reading<T> = {
  readonly count: number
  readonly signal: AbortSignal
  readonly start: Listed<T>
}

async function readUpTo<T>(
  path: string,
  query: Query,
  { count, signal, start }: Reading<T>,
): Promise<Listed<T>> {
  const items = [...start.items]
  let { cursor, total } = start
  do {
    const limit = Math.min(MOST_PER_PAGE, count - items.length)
    const page = await readPage<T>(path, { ...query, cursor, limit }, signal)
    items.push(...page.items)
    total ??= page.total
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && items.length < count)
  return { items, total, hasMore: cursor !== undefined, cursor }
}

function given(query: Query): Record<string, string> {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  return Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]))
}
