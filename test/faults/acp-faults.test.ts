// What a program that speaks ACP does wrong before it has its prompt: the turn ends in bounded time, and nothing stays behind.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Reprise } from '../../src/api.ts'
import { acp, createReprise, sqlite } from '../../src/index.ts'
import { findTree } from '../../src/runner/process-tree.ts'

/** An agent with one session. It never answers the requests whose names are in its argument. */
const PROGRAM = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const deaf = readFileSync(process.argv[2], 'utf8')
const file = process.argv[2] + '.said'
const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
const told = (sessionUpdate, text) =>
  say({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate, content: { text } } } })
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
  'session/new': () => ({ sessionId: 's' }),
  'session/load': () => {
    told('user_message_chunk', readFileSync(file, 'utf8'))
    return {}
  },
  'session/prompt': ({ prompt }) => {
    writeFileSync(file, prompt[0].text)
    told('agent_message_chunk', 'I heard it.')
    return { stopReason: 'end_turn' }
  },
}
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (deaf !== method) say({ id, result: answers[method](params) })
})
setInterval(() => {}, 1000)
`

let root = ''
let reprise: Reprise
const deafTo = (method: string) => writeFileSync(join(root, 'deaf'), method)
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-acp-faults-')))
  mkdirSync(join(root, 'work'))
  writeFileSync(join(root, 'program.mjs'), PROGRAM)
  deafTo('nothing')
  const command = [process.execPath, join(root, 'program.mjs'), join(root, 'deaf')]
  reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    agents: [acp({ name: 'mine', command })],
    limits: {
      firstEventMs: 3_000,
      afterResultMs: 200,
      interruptGraceMs: 300,
      terminateGraceMs: 300,
    },
    dataDir: join(root, 'data'),
  })
})
afterEach(async () => {
  await reprise.close()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

const processesOf = (marker: string) => findTree({ marker, root: { pid: 2 ** 30, startTime: '0' } })

test('U-3 an agent over ACP that greets and then never opens a session is ended like one that never begins', async () => {
  deafTo('session/new')
  const thread = await reprise.threads.create({ workDir: join(root, 'work') })
  const { run } = await thread.send('one').result
  expect(run).toMatchObject({ status: 'interrupted', failure: { class: 'no-first-event' } })
  expect(processesOf(run.id)).toEqual([])
  expect(await reprise.verify()).toEqual([])
})

test('U-3 an agent over ACP that never loads its session is ended, and the next turn goes on', async () => {
  const thread = await reprise.threads.create({ workDir: join(root, 'work') })
  expect((await thread.send('one').result).text).toBe('I heard it.')
  deafTo('session/load')
  const { run } = await thread.send('two').result
  expect(run).toMatchObject({
    decision: { action: 'resume' },
    status: 'interrupted',
    failure: { class: 'no-first-event' },
  })
  expect(processesOf(run.id)).toEqual([])
  deafTo('nothing')
  const next = await thread.send('three').result
  expect([next.run.status, next.text]).toEqual(['completed', 'I heard it.'])
  expect(readFileSync(join(root, 'deaf.said'), 'utf8')).toContain('two')
})
