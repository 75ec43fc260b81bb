// What every route is made of: its scope, its body, its answers.
import { createRoute, type RouteConfig, type z } from '@hono/zod-openapi'
import { streamSample } from '../event-samples.ts'
import { errorSchema } from '../report.ts'
import type { NeedsScope } from '../scope.ts'

export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { content: { 'application/json': { schema } }, description }
}

export function body<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } }, required: true }
}

/**
 * A stream of server-sent events, or a list of the same. `data` is what `data:` of a frame holds as JSON; generated clients
 * take it for the type of what they yield.
 */
export function events<Data extends z.ZodType, List extends z.ZodType>(
  stream: { readonly data: Data; readonly idOf: (seq: number) => string },
  list: List,
  description: string,
) {
  return {
    content: {
      'text/event-stream': {
        schema: stream.data,
        examples: {
          frames: { summary: 'Two frames, as they are sent', value: streamSample(stream.idOf) },
        },
      },
      'application/json': { schema: list },
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
