// A process that starts a chain, or lets one go on, and works on it until it is over or killed.
import { flushCompileCache } from 'node:module'
import { claudeCode, createReprise, sqlite } from '../../src/index.ts'
import { opsPolicy } from '../scenarios/chains/chains.ts'

const [database = '', executable = '', workDir = '', env = '{}', data = '', brokenOff] =
  process.argv.slice(2)
// A killed process stores no compiled code for the next one, so it is stored now.
flushCompileCache()

const reprise = createReprise({
  store: sqlite(database),
  agents: [claudeCode({ executable, env: JSON.parse(env) })],
  dataDir: data,
  keepQueue: true,
})
const chain =
  brokenOff === undefined
    ? reprise.chains.start({ policy: opsPolicy(), prompt: 'check', workDir })
    : reprise.chains.continue(brokenOff)
const { chainId } = await chain.submitted
process.stdout.write(`${chainId}\n`)
await chain.result
await reprise.close()
