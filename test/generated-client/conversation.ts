// A thread and two turns, in nothing but the words of the generated client; prints what was decided for the second.
import { client } from './client/client.gen.ts'
import {
  createThread,
  getRun,
  getThread,
  listRuns,
  type RunStreamData,
  sendTurn,
  whyRun,
} from './client/index.ts'

const [baseUrl = '', workDir = ''] = process.argv.slice(2)
client.setConfig({ baseUrl, auth: () => process.env.TOKEN ?? '' })

const streamed: string[] = []
const { data: thread } = await createThread({
  body: { workDir, title: 'generated' },
  throwOnError: true,
})
await turn('hello')
const decided = await turn('and more')
const { data: shown } = await getThread({ path: { id: thread.id }, throwOnError: true })
const { data: runs } = await listRuns({ query: { thread: thread.id }, throwOnError: true })
const { data: why } = await whyRun({ path: { id: decided.id }, throwOnError: true })
const refused = await createThread({ body: { workDir: '/nowhere/at/all' } })

console.log(
  JSON.stringify({
    action: decided.decision?.action,
    guards: decided.decision?.checks.map(({ guard, result }) => `${guard}: ${result}`),
    words: why.words,
    texts: shown.messages.map(({ text }) => text),
    runs: runs.items.length,
    refused: refused.error?.error.code,
    streamed,
  }),
)

async function turn(prompt: string) {
  const { data: sent } = await sendTurn({
    path: { id: thread.id },
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { prompt },
    throwOnError: true,
  })
  for await (const event of await follow(sent.runId)) {
    // The types of the document tell events from `resync`, and one event from another.
    if (!('type' in event)) throw new Error(`resync: ${event.reason}`)
    if (event.type === 'text') streamed.push(event.text)
  }
  const { data: run } = await getRun({ path: { id: sent.runId }, throwOnError: true })
  return run
}

async function follow(id: string) {
  const { stream } = await client.sse.get<{ 200: RunStreamData }>({
    url: '/api/turns/{id}/events',
    path: { id },
    security: [{ scheme: 'bearer', type: 'http' }],
  })
  return stream
}
