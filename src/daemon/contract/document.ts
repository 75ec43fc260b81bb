// Makes the OpenAPI 3.1 document from the routes, without a running app.
import { OpenAPIHono, type z } from '@hono/zod-openapi'
import { changedSchema, readySchema, resyncSchema } from './event.ts'
import { SHAPE_EXAMPLES } from './examples.ts'
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
  // Only streams send them, so no route registers them.
  app.openAPIRegistry.register('Resync', resyncSchema)
  app.openAPIRegistry.register('Changed', changedSchema)
  app.openAPIRegistry.register('Ready', readySchema)
  for (const [operationId, route] of Object.entries(ROUTES)) {
    const { scope, page: _, person: __, bytes: ___, ...path }: typeof route & NeedsScope = route
    const security = scope === null ? [] : [{ token: [scope] }]
    const tags = [tagOf(path.path)]
    app.openAPIRegistry.registerPath({ ...path, operationId, security, tags })
  }
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Reprise',
      version,
      license: { name: 'MIT' },
      description:
        'The daemon of Reprise. Operation ids and fields stay; types of events, fields and operations may be added.',
    },
    servers: [
      {
        url: 'http://127.0.0.1:{port}',
        description: '`reprise serve` on this machine',
        variables: { port: { default: '4747' } },
      },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  })
  const schemas: Record<string, object> = document.components?.schemas ?? {}
  for (const [name, example] of Object.entries(SHAPE_EXAMPLES)) {
    schemas[name] = { ...schemas[name], examples: [example] }
  }
  return document
}

/** What each group of routes is about, in the order of the document. */
const TAGS = {
  threads: 'Conversations: create, send, edit, fork, preview.',
  runs: 'Executions of an agent: what was decided, what happened, questions and answers.',
  events: 'Live streams of server-sent events, or pages of the same as JSON.',
  jobs: 'Durable work: submit, follow, retry, checkpoints.',
  chains: 'Escalation through the tiers of a policy, and schedules of it.',
  sessions: "The agents' own sessions that Reprise knows.",
  daemon: 'The daemon itself: health, metrics, agents, savings, stopping.',
  browser: 'The dashboard and its sign-in.',
} as const

type Tag = keyof typeof TAGS

/** By the first word of a path; what is not named here belongs to the browser. */
const TAGS_OF_PATHS: Readonly<Record<string, Tag>> = {
  threads: 'threads',
  runs: 'runs',
  questions: 'runs',
  turns: 'events',
  events: 'events',
  jobs: 'jobs',
  chains: 'chains',
  policies: 'chains',
  schedules: 'chains',
  sessions: 'sessions',
  agents: 'daemon',
  savings: 'daemon',
  me: 'daemon',
  health: 'daemon',
  metrics: 'daemon',
  'openapi.json': 'daemon',
  stop: 'daemon',
  workers: 'daemon',
  key: 'daemon',
}

function tagOf(path: string): Tag {
  if (path.endsWith('/events')) return 'events'
  if (path.endsWith('/chain')) return 'chains'
  const [first = ''] = path.replace(/^\/(?:api\/)?/, '').split('/')
  return TAGS_OF_PATHS[first] ?? 'browser'
}

/** The schema of a part of a request, for the error about a fault in it. */
export function schemaOf(method: string, path: string, target: string): z.ZodType | null {
  const route = Object.values(ROUTES).find(
    one => one.method === method.toLowerCase() && one.getRoutingPath() === path,
  )
  if (!route || !('request' in route)) return null
  const { request } = route
  if (target === 'json') {
    if (!('body' in request) || !('application/json' in request.body.content)) return null
    return request.body.content['application/json'].schema
  }
  return target === 'query' && 'query' in request ? request.query : null
}
