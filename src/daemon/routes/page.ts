// Pages of lists, and optional fields of requests.
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

/** Leaves out fields that are undefined; an optional field must not be set to undefined. */
export function given<Values extends object>(
  values: Values,
): { [Key in keyof Values]: Exclude<Values[Key], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in keyof Values]: Exclude<Values[Key], undefined> }
}
