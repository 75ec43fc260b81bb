// Reads a list of the daemon page by page, up to the wanted number of items.
import type { Http, Query } from './http.ts'

export type ListPage<T> = { readonly items: readonly T[]; readonly nextCursor: string | null }

/** The most items that a daemon returns at once. */
const PAGE = 200

export async function listAll<T>(
  http: Http,
  path: string,
  { query, limit }: { readonly query: Query; readonly limit: number },
): Promise<readonly T[]> {
  const found: T[] = []
  let { cursor } = query
  do {
    const page: ListPage<T> = await http.ask<ListPage<T>>('GET', path, {
      query: { ...query, cursor, limit: Math.min(PAGE, limit - found.length) },
    })
    found.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && found.length < limit)
  return found
}
