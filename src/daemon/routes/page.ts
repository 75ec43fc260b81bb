// Pages of lists.
import type { Page } from '../contract/fields.ts'

/** Reads one item more than the limit to know whether there is a next page. */
export async function listPage<Item extends { readonly id: string }>(
  limit: number,
  list: (limit: number) => Promise<readonly Item[]>,
): Promise<Page<Item>> {
  const found = await list(limit + 1)
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: found.length > limit && last ? last.id : null }
}
