// What every route is made of: its scope, its body, its answers.
import { createRoute, type RouteConfig, z } from '@hono/zod-openapi'
import { errorSchema } from '../report.ts'
import type { NeedsScope } from '../scope.ts'

export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { content: { 'application/json': { schema } }, description }
}

export function body<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } }, required: true }
}

const serverEvents = z.string().openapi({ description: 'Server-sent events' })

/** A stream of server-sent events, or a list of the same. */
export function events<Schema extends z.ZodType>(schema: Schema, description: string) {
  return {
    content: {
      'text/event-stream': { schema: serverEvents },
      'application/json': { schema },
    },
    description,
  }
}

export const errors = {
  default: json(errorSchema, 'What went wrong, why, and what to do'),
} as const

/** A route that does not say which scope it needs does not compile. */
export function route<
  Path extends string,
  Config extends Omit<RouteConfig, 'path'> & { path: Path } & NeedsScope,
>(config: Config) {
  return createRoute<Path, Config>(config)
}
