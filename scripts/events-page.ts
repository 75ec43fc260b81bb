// docs/events.md: every type of event with its fields and an example, from the schema that the daemon validates by.
import { z } from '@hono/zod-openapi'
import type { RunEvent } from '../src/core/run/run-events.ts'
import { runEventSchema } from '../src/daemon/contract/event.ts'
import { EVENT_SAMPLES, sampleEvents } from '../src/daemon/contract/event-samples.ts'

export function eventsPage(): string {
  const { oneOf = [] } = z.toJSONSchema(runEventSchema, { unrepresentable: 'any' }) as Union
  const listed = oneOf.map(event => event.properties.type?.const ?? '')
  const examples = new Map(sampleEvents().map(event => [event.type as string, event]))
  for (const example of examples.values()) runEventSchema.parse(example)
  return [INTRODUCTION, listOfTypes(listed), ...oneOf.map(event => section(event, examples))].join(
    '\n',
  )
}

type Event = {
  readonly properties: Readonly<Record<string, Schema & { readonly const?: string }>>
  readonly required: readonly string[]
}
type Union = { readonly oneOf?: readonly Event[] }
type Words = { readonly comes: string; readonly fields: Readonly<Record<string, string>> }

const WORDS: Readonly<Record<string, Words>> = EVENT_SAMPLES
const PLACE: ReadonlySet<string> = new Set(['runId', 'seq', 'at', 'type'])

function listOfTypes(types: readonly string[]): string {
  return `Types: ${types.map(type => `[${type}](#${type})`).join(' · ')}\n`
}

function section({ properties, required }: Event, examples: ReadonlyMap<string, RunEvent>): string {
  const type = properties.type?.const ?? ''
  const { comes, fields } = WORDS[type] ?? { comes: '', fields: {} }
  const rows = Object.entries(properties)
    .filter(([name]) => !PLACE.has(name))
    .map(([name, schema]) => {
      const optional = required.includes(name) ? '' : '?'
      return `| \`${name}${optional}\` | ${kindOf(schema)} | ${fields[name]} |`
    })
  return [
    `## ${type}\n\n${comes}\n`,
    ['| field | type | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n'),
    `\`\`\`json\n${JSON.stringify(examples.get(type))}\n\`\`\`\n`,
  ].join('\n')
}

type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
}

/** The type in a few words; [OpenAPI](http-api.md#runevent) has the shapes inside. */
function kindOf(schema: Schema): string {
  const many = schema.anyOf ?? schema.oneOf
  if (many) return [...new Set(many.map(kindOf))].join(' or ')
  if (schema.enum) return schema.enum.map(value => `\`${value}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.items) return `list of ${kindOf(schema.items)}s`
  return [schema.type ?? 'anything'].flat().join(' or ')
}

const INTRODUCTION = `# Events

One language for all: a program that iterates over a turn, a reader of \`GET /api/runs/{id}/events\` and of \`--stream-json\` get the same
objects. Each has \`runId\`, \`seq\` (counts from 1 without gaps within its run), \`at\` (milliseconds since 1970) and \`type\`; the other
fields depend on the type. The exact shapes are \`RunEvent\` of the package and of [OpenAPI](http-api.md#runevent).

\`\`\`ts
for await (const event of thread.send('hello')) {
  if (event.type === 'text') process.stdout.write(event.text)
}
for await (const event of reprise.runs.follow(runId, { after: 12 })) console.log(event.seq, event.type)
for await (const event of reprise.turns.follow(runId)) if (event.type === 'fallback') console.log(event.words)
for await (const event of reprise.jobs.follow(jobId)) if (event.type === 'ended') console.log(event.status)
\`\`\`

Every event is stored before anybody sees it, so nothing is lost when a process ends: a reader that comes back asks for what follows the last
event it has. A turn can take several runs. \`ended\` is the last event of a run; its \`continuedBy\` names the run in which the turn goes
on, and is null when the turn is over. \`turns.follow\` and \`GET /api/turns/{id}/events\` go from run to run by it.
\`jobs.follow\` and \`GET /api/jobs/{id}/events\` go from attempt to attempt of a job: they wait for the next one and end when the job is over.

Types and fields may be added. Pass by what you do not know. Stores of earlier versions hold runs without \`queued\`, \`fallback\` and
\`supervised\`.

A client of the daemon adds notices of its own when the daemon is away and when it is back (\`daemon-away\`, \`daemon-back\`). They are in no
log: their \`seq\` is 0.
`
