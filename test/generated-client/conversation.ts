// A thread and two turns, in nothing but the words of the generated client; prints what was decided for the second.
import { client } from './client/client.gen.ts'
import { createThread, getRun, getThread, listRuns, sendTurn, whyRun } from './client/index.ts'

const [baseUrl = '', workDir = ''] = process.argv.slice(2)
client.setConfig({ baseUrl, auth: () => process.env.TOKEN ?? '' })

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
  }),
)

async function turn(prompt: string) {
  const { data: sent } = await sendTurn({
    path: { id: thread.id },
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { prompt },
    throwOnError: true,
  })
  for (;;) {
    const { data: run } = await getRun({ path: { id: sent.runId }, throwOnError: true })
    if (run.endedAt !== null) return run
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
