// The page about the HTTP API, from the contract itself: routes, shapes, errors.
import { openApiDocument } from '../src/daemon/contract/document.ts'
import { PUBLIC_PATHS } from '../src/daemon/contract/routes/routes.ts'
import { KEY_HEADER, SCOPE_MEANINGS, SCOPES } from '../src/daemon/contract/scope.ts'
import { CONSEQUENCES } from '../src/errors.ts'

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly description?: string
}

type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

type Content = Readonly<
  Record<
    string,
    {
      readonly schema: Schema
      readonly examples?: Readonly<Record<string, { readonly value: string }>>
    }
  >
>

type Schemas = Readonly<Record<string, Schema>>

export function httpPage(): string {
  // Parsed anew, so that it is plain JSON as a client gets it.
  const document = JSON.parse(JSON.stringify(openApiDocument(''))) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: { readonly schemas: Schemas }
    readonly tags: readonly { readonly name: string; readonly description: string }[]
  }
  const { schemas } = document.components
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const groups = document.tags.flatMap(({ name, description }) => [
    `### ${name}`,
    description,
    ...operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ method, path, operation }) => routeOf(`${method} ${path}`, operation, schemas)),
  ])
  const codes = Object.entries(CONSEQUENCES).map(
    ([code, { httpStatus }]) => `| \`${code}\` | ${httpStatus} |`,
  )
  return [
    '# The HTTP API',
    '<!-- Made by `npm run docs` from src/daemon/contract. Do not edit. -->',
    INTRODUCTION,
    '## Routes',
    ...groups,
    EVENTS,
    '## Errors',
    'Every error is `{ "error": { "code", "message", "hint" } }`.',
    ['| code | status |', '| --- | ---: |', ...codes].join('\n'),
    '## Shapes',
    ...Object.entries(schemas).map(([name, schema]) => shapeOf(name, schema)),
  ]
    .join('\n\n')
    .concat('\n')
}

function routeOf(call: string, operation: Operation, schemas: Schemas): string {
  const [method = '', path = ''] = call.split(' ')
  const given = (operation.parameters ?? []).filter(parameter => parameter.in !== 'path')
  const body = operation.requestBody?.content['application/json']?.schema
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status !== 'default')
    .map(([status, { content = {} }]) => {
      const kinds = Object.entries(content).map(([type, { schema }]) =>
        type === 'application/json'
          ? typeOf(schema)
          : `\`${type}\`${schema.$ref ? ` of ${typeOf(schema)}` : ''}`,
      )
      return `${status} ${kinds.join(' or ') || 'without a body'}`
    })
  return [
    `#### \`${method.toUpperCase()} ${path}\``,
    `${operation.summary}. ${scopeOf(operation)} Operation id: \`${operation.operationId}\`.`,
    [
      ...given.map(one => `- ${PLACES[one.in] ?? one.in} \`${one.name}\`: ${typeOf(one.schema)}`),
      ...(body ? [`- body: ${typeOf(body)}`] : []),
      `- answer: ${answers.join(', ')}`,
    ].join('\n'),
    ...examplesOf(operation, schemas),
  ].join('\n\n')
}

/** The example of the body, and the frames of a stream as they are sent. */
function examplesOf({ requestBody, responses }: Operation, schemas: Schemas): readonly string[] {
  const name = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? ''
  const [body] = schemas[name]?.examples ?? []
  const stream = responses['200']?.content?.['text/event-stream']?.examples?.frames?.value
  return [
    ...(body === undefined ? [] : [`\`\`\`json\n${JSON.stringify(body)}\n\`\`\``]),
    ...(stream === undefined ? [] : [`\`\`\`text\n${stream.trimEnd()}\n\`\`\``]),
  ]
}

function scopeOf({ security = [] }: Operation): string {
  const [scope] = Object.values(security[0] ?? {}).flat()
  return scope === undefined ? 'For everybody.' : `Scope: \`${scope}\`.`
}

const PLACES: Readonly<Record<string, string>> = { query: 'query', header: 'header' }

function shapeOf(name: string, schema: Schema): string {
  const [example] = schema.examples ?? []
  return [
    `### ${name}`,
    ...(schema.description ? [schema.description] : []),
    ...fieldsOrKinds(schema),
    ...(example === undefined ? [] : [`\`\`\`json\n${JSON.stringify(example)}\n\`\`\``]),
  ].join('\n\n')
}

function fieldsOrKinds(schema: Schema): readonly string[] {
  const others = (schema.oneOf ?? schema.anyOf ?? schema.allOf)?.map(one => `- ${typeOf(one)}`)
  if (others) return [schema.allOf ? 'All of:' : 'One of:', others.join('\n')]
  if (!schema.properties) return [typeOf(schema)]
  const rows = Object.entries(schema.properties).map(([field, type]) => {
    const optional = schema.required?.includes(field) ? '' : '?'
    return `| \`${field}${optional}\` | ${typeOf(type).replaceAll('|', '\\|')} |`
  })
  return [['| field | type |', '| --- | --- |', ...rows].join('\n')]
}

function typeOf(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return `[${name}](#${name.toLowerCase()})`
  }
  const many = schema.oneOf ?? schema.anyOf ?? schema.allOf
  if (many) return many.map(typeOf).join(schema.allOf ? ' and ' : ' or ')
  if (schema.enum) return schema.enum.map(value => `\`${JSON.stringify(value)}\``).join(', ')
  if (schema.items) return `list of ${typeOf(schema.items)}`
  if (schema.properties) return fieldsOf(schema)
  const types = [schema.type ?? 'anything'].flat().join(' or ')
  return schema.default === undefined
    ? types
    : `${types}, ${JSON.stringify(schema.default)} if not given`
}

function fieldsOf({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, type]) => `\`${name}${required.includes(name) ? '' : '?'}\` ${typeOf(type)}`,
  )
  return fields.length === 0 ? 'an empty object' : `{ ${fields.join('; ')} }`
}

const INTRODUCTION = `\`reprise serve\` answers on 127.0.0.1. Every request but those to ${PUBLIC_PATHS.map(path => `\`${path}\``).join(', ')} needs
\`Authorization: Bearer <token>\`; the token is in the file \`token\` of the data directory. Bodies are JSON with
\`Content-Type: application/json\` (at most 5 MB for turns and messages, 64 kB otherwise); a field that is not known is refused.
Programs of the same user may use the unix socket \`daemon.sock\` in the data directory instead, with the same token.
Requests with another \`Host\` than the daemon's own, or from pages of another origin, are refused.
\`GET /openapi.json\` has the same contract for programs.

Each route needs a scope: ${SCOPES.map(scope => `\`${scope}\` (${SCOPE_MEANINGS[scope]})`).join(', ')}. The token in the data
directory has all of them; \`reprise token create --scope read\` makes one with fewer. The record of a token says what it may do; nothing in
a request changes that. A turn that names \`permissionMode\` or \`allowedTools\` needs \`approve\` too.

A browser never sees a token. \`reprise login\` prints an address with a code that works once, within a minute; it sets an \`HttpOnly\`,
\`SameSite=Strict\` cookie and gives the page a key after the \`#\` of its address. Pages need the cookie; everything else needs the key too, as
\`${KEY_HEADER}\`, since browsers send a cookie to every port of a host. Such a login may read, submit and approve; it ends when it was
not used for twelve hours, when the daemon stops and when the main token is rotated.

An id in an address, and in the filters \`thread\`, \`chain\`, \`job\` and \`session\`, may be given by its unique beginning, as on the command line;
what is removed needs its whole id. Lists come in pages: pass \`nextCursor\` as \`?cursor=\` until it is null. \`Idempotency-Key\` makes it safe to send a thread, a
turn or a retry again when the answer was lost: the same key with the same body gets the same answer; with another body it gets a \`conflict\`.
Reprise keeps keys for seven days.`

const EVENTS = `## Live events

\`GET /api/runs/{id}/events\`, \`GET /api/turns/{id}/events\`, \`GET /api/jobs/{id}/events\` and \`GET /api/events\` are streams of server-sent
events. Each event has an \`id:\`. A reader that reconnects with \`Last-Event-ID\` (or \`?after=\`) gets every later event exactly once, also from another daemon on
the same store.
\`data:\` is a [RunEvent](#runevent) or a [FeedEvent](#feedevent). A stream of a run ends after its last event, \`ended\`; a reader
that reconnects after that gets 204. A turn may take several runs: its stream continues with the run that \`continuedBy\` of \`ended\` names, and
ends with the turn. The stream of a job holds the events of all its attempts, waits for the next attempt, and ends with the job. [events.md](events.md) says when each type comes. \`GET /api/events\` begins now; its first event, \`ready\`, holds the
position in the stream. It also has events named \`changed\` ([Changed](#changed)): a thread, a chain, a job or a schedule was created, changed or
removed by any process, perhaps without an event of a run. A schedule changes when it starts or skips a chain. They have the \`id:\` of the event
before them, so after a reconnection some come again.

An event named \`resync\` asks the reader to load the state again; events after \`after\` follow. Its \`reason\` is \`unknown-id\` (the daemon does
not know the requested position) or \`too-slow\` (the reader took nothing for 30 seconds; the stream ends). After 15 seconds without an event
the daemon sends a comment.`
