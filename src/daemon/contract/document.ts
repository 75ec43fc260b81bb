// Makes the OpenAPI 3.1 document from the routes, without a running app.
import { OpenAPIHono, z } from '@hono/zod-openapi'
import { changedSchema, resyncSchema } from './event.ts'
import { ROUTES } from './routes/routes.ts'
import type { NeedsScope } from './scope.ts'

const made = new Map<string, ReturnType<typeof make>>()

export function openApiDocument(version: string): ReturnType<typeof make> {
  const document = made.get(version) ?? make(version)
  made.set(version, document)
  return document
}

function make(version: string) {
  const app = new OpenAPIHono()
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
  })
  // Only streams send it, so no route registers it.
  app.openAPIRegistry.register('Resync', resyncSchema)
  app.openAPIRegistry.register('Changed', changedSchema)
  for (const [operationId, route] of Object.entries(ROUTES)) {
    const { scope, page: _, person: __, ...path }: typeof route & NeedsScope = route
    const security = scope === null ? [] : [{ token: [scope] }]
    app.openAPIRegistry.registerPath({ ...path, operationId, security })
  }
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Reprise', version, license: { name: 'MIT' } },
  })
}

/** The fields that a part of a request may have, for the hint about an unknown field. */
export function knownFields(method: string, path: string, target: string): readonly string[] {
  const route = Object.values(ROUTES).find(
    one => one.method === method.toLowerCase() && one.getRoutingPath() === path,
  )
  if (!route || !('request' in route)) return []
  const { request } = route
  if (target === 'json') {
    return 'body' in request ? keysOf(request.body.content['application/json'].schema) : []
  }
  return target === 'query' && 'query' in request ? keysOf(request.query) : []
}

function keysOf(schema: z.ZodType): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}
