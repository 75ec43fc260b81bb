// docs/events.md: every type of event with its fields, from the schema that the daemon validates by.
import { z } from '@hono/zod-openapi'
import { runEventSchema } from '../src/daemon/contract/event.ts'

/** When each type comes. A type without words does not get past `npm run static`. */
const COMES: Readonly<Record<string, string>> = {
  queued: 'The turn was stored and has to wait: behind a run of its thread, or for a slot.',
  started: 'Reprise decided how to continue and is about to start the agent.',
  session: 'The agent named its session.',
  hook: 'A hook of the user ran, a program that settings name.',
  text: 'A piece of the answer.',
  thinking: 'A piece of what the agent thinks, where it says so.',
  block: 'One block of the conversation is complete.',
  tool: 'The agent calls a tool.',
  'tool-result': 'The call ended, or was refused.',
  usage: 'What one model request used so far.',
  retry: 'The agent tries a failed model request again by itself.',
  compacted: 'The agent compacted its context.',
  limit: 'The account is near a usage limit, or over it.',
  notice: 'Something that the user should know.',
  question: 'The agent asks the user, or asks for a permission.',
  answer:
    'A question is closed: answered, late or cancelled. `answer.forRun.by: rule`: nobody was asked, because a user had allowed it for the run.',
  result: "The agent's own last word on the turn.",
  unknown: 'The agent said something that this version does not know.',
  fallback: 'The agent refused its session. The turn goes on in another run.',
  supervised: 'The supervisor of a chain decided what follows this run.',
  ended: 'The run is over. This is always its last event.',
}

export function eventsPage(): string {
  const { oneOf = [] } = z.toJSONSchema(runEventSchema, { unrepresentable: 'any' }) as Union
  return `${INTRODUCTION}\n${oneOf.map(section).join('\n')}`
}

type Field = Readonly<Record<string, unknown>> & { readonly const?: string }
type Event = { readonly properties: Readonly<Record<string, Field>>; readonly required: string[] }
type Union = { readonly oneOf?: readonly Event[] }

const PLACE: ReadonlySet<string> = new Set(['runId', 'seq', 'at', 'type'])

function section({ properties, required }: Event): string {
  const type = properties.type?.const ?? ''
  const comes = COMES[type]
  if (comes === undefined) throw new Error(`scripts/events-page.ts does not say when ${type} comes`)
  const names = Object.keys(properties).filter(name => !PLACE.has(name))
  const fields = names.map(name => `\`${name}\`${required.includes(name) ? '' : ' (optional)'}`)
  return `## ${type}\n\n${comes}\n\nFields: ${fields.join(', ')}.\n`
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
