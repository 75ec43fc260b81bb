// A program that keeps the processes of its threads: it sends one turn after the other, says how each ended, and never ends by itself.
import { flushCompileCache } from 'node:module'
import { claudeCode, createReprise, sqlite } from '../../src/index.ts'

const [root = '', executable = '', environment = '{}', serial = ''] = process.argv.slice(2)
const reprise = createReprise({
  store: sqlite(`${root}/reprise.db`),
  dataDir: `${root}/data`,
  agents: [claudeCode({ executable, env: JSON.parse(environment) })],
  environment: { PATH: process.env.PATH },
  warm: true,
})
const workDir = `${root}/project`
const known = await reprise.threads.list({ limit: 2 })
const threads = [
  await (known[0] ? reprise.threads.get(known[0].id) : reprise.threads.create({ workDir })),
  await (known[1] ? reprise.threads.get(known[1].id) : reprise.threads.create({ workDir })),
]
// It will be killed.
flushCompileCache()
for (let turn = 0; ; turn += 1) {
  const thread = threads[turn % threads.length]
  const prompt = `prompt-${serial}${String(turn).padStart(3, '0')};`
  const result = await thread?.send(prompt).result
  const { status, process: used, costUsd } = result?.run ?? {}
  const said = { prompt, threadId: thread?.id, status, process: used, costUsd }
  process.stdout.write(`${JSON.stringify(said)}\n`)
}
