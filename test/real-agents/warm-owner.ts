// A program that keeps the process of its agent: it sends one turn, prints the id of its run, and waits to be killed.
import { claudeCode, createReprise, sqlite } from '../../src/index.ts'

const [root = '', executable = '', url = ''] = process.argv.slice(2)
const { realAgentEnv } = await import('../../src/testing/index.ts')
const env = realAgentEnv({ api: { url }, home: `${root}/home` })
const reprise = createReprise({
  store: sqlite(`${root}/reprise.db`),
  dataDir: `${root}/data`,
  agents: [claudeCode({ executable, env, model: 'claude-sonnet-4-5' })],
  environment: { PATH: process.env.PATH },
  warm: true,
})
const thread = await reprise.threads.create({ workDir: `${root}/project` })
const { run } = await thread.send('one').result
console.log(JSON.stringify({ runId: run.id, threadId: thread.id }))
const { run: second } = await thread.send('two').result
console.log(JSON.stringify({ runId: second.id, process: second.process }))
setInterval(() => {}, 1 << 30)
