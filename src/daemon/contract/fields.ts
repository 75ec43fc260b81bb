// Fields that many shapes share: ids, times, counts, lists.
import { z } from '@hono/zod-openapi'
import { CARRIES } from '../../core/chain/carry.ts'
import { SANDBOX_MODES } from '../../core/run/sandbox.ts'
import { TRUSTS } from '../../core/run/trust.ts'
import type { Workspace } from '../../core/run/workspace.ts'

/** Our ids: letters, digits, `_` and `-`; no character with a meaning in a path, a shell or SQL. */
export const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/)

/** Milliseconds since 1970. */
export const time = z.number()

export const wholeNumber = z.number().int()

export const dollars = z.number()

export const trustSchema = z.enum(TRUSTS)

export const sandboxModeSchema = z.enum(SANDBOX_MODES)

export const carrySchema = z.enum(CARRIES)

/** A repository that each host checks out for itself. */
export const workspaceSchema = z
  .object({
    repository: z.string(),
    /** Null: the default branch of the repository. */
    ref: z.string().nullable(),
    /** The commit from which every host begins; null before a host has looked it up. */
    commit: z.string().nullable(),
  })
  .openapi('Workspace') satisfies z.ZodType<Workspace>

/** For schemas with a name: `.nullable()` would make the named schema itself nullable in OpenAPI. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()])
}

/**
 * A field that may be missing. It has the type of `.exactOptional()`, by which OpenAPI would call the field required;
 * JSON has no `undefined`, so both accept the same.
 */
export function mayBeMissing<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<Schema> {
  return schema.optional() as unknown as z.ZodExactOptional<Schema>
}

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly()
}

/** A page of a list; `nextCursor` goes into `?cursor=` for the next one, and is null on the last. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: listOf(item), nextCursor: z.string().nullable() })
}

export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor: string | null }
