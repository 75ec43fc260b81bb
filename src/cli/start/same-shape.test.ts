// The JSON of the command line beside that of HTTP, on one store: the CLI opens it as it does without a daemon.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpWorld, httpWorld } from '../../../test/e2e/http/http-world.ts'
import { runCliHere } from '../../../test/run-cli-here.ts'
import { listNamedPolicies } from '../../config/read-policy.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { SAME_SHAPE, type SameShapeVerb } from './same-shape.ts'

const POLICY = `name: ops
maxTier: 1
tiers:
  - name: look
    role: Look only.
    model: claude-haiku-4-5
    permissionMode: dontAsk
    allowedTools: [Read]
`

/** The world of the app has files in memory, and the CLI looks at real ones. */
const LOOKS_AROUND: readonly SameShapeVerb[] = ['agents', 'sessions show <session>']

let home: string
let world: HttpWorld
let ids: Readonly<Record<string, string>>

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'reprise-shape-'))
  mkdirSync(join(home, 'project'))
  writeFileSync(join(home, 'ops.yaml'), POLICY)
  writeFileSync(join(home, 'config.yaml'), 'policies: { ops: ./ops.yaml }\n')
  const policies = { ops: { path: join(home, 'ops.yaml'), from: 'user' } } as const
  world = await httpWorld({
    store: sqlite(join(home, 'reprise.db')),
    listPolicies: async () => listNamedPolicies(policies),
    script: [
      {
        when: 'check',
        do: [{ type: 'verdict', output: { verdict: 'resolved', summary: 'fine' } }],
      },
    ],
  })
  const { id: thread } = await world.thread()
  const run = await world.turn(thread, 'hello')
  await world.turn(thread, 'more')
  const workDir = '/project'
  const [found] = listNamedPolicies(policies)
  const policy = found && 'policy' in found ? found.policy : ''
  const chain = await world.reprise.chains.start({ policy, prompt: 'check it', workDir }).result
  const job = await world.reprise.jobs.submit({ prompt: 'work', workDir })
  await world.reprise.jobs.wait(job.id)
  const [session] = await world.reprise.sessions.list({ threadId: thread })
  const recurrence = { everyMs: 60_000 }
  await world.reprise.schedules.create({ policy, prompt: 'check', workDir, recurrence })
  ids = {
    thread,
    run: run.id,
    chain: chain.id,
    chainRun: chain.runs[0]?.id ?? '',
    job: job.id,
    session: session?.id ?? '',
  }
})
afterAll(async () => {
  await world.reprise.close()
  expect(world.faults).toEqual([])
  rmSync(home, { recursive: true, force: true })
})

/** `agents` ends with 2 on a machine that has none of them. */
async function printed(args: readonly string[], wantedCode = 0) {
  const place = { env: { REPRISE_HOME: home, HOME: home }, cwd: home }
  const { code, out, err } = await runCliHere([...args, '--json'], place)
  expect([code, err]).toEqual([wantedCode, ''])
  return JSON.parse(out)
}

/** The words of a verb and the path of its route, with the ids of this store. */
function filledIn(verb: SameShapeVerb) {
  const [method = '', path = ''] = SAME_SHAPE[verb].split(' ')
  const kind = /<(\w+)>/.exec(verb)?.[1] ?? ''
  const id = (verb === 'chains show <run>' ? ids.chainRun : ids[kind]) ?? ''
  const words = verb.split(' ').map(word => (word === `<${kind}>` ? id : word))
  return { method, path: path.replace('{id}', id), words }
}

const READS = (Object.keys(SAME_SHAPE) as SameShapeVerb[]).filter(verb => {
  return SAME_SHAPE[verb].startsWith('GET') && !LOOKS_AROUND.includes(verb)
})

describe('U-1 --json has the shape of HTTP', () => {
  test.each(READS)('reprise %s', async verb => {
    const { method, path, words } = filledIn(verb)
    const answer = await world.call(method, path, undefined, { accept: 'application/json' })
    expect(answer.status).toBe(200)
    expect(await printed(words)).toEqual(answer.body)
  })

  test.each(LOOKS_AROUND)(
    'reprise %s, which looks at files and programs of its machine',
    async verb => {
      const { method, path, words } = filledIn(verb)
      const { body } = await world.call(method, path)
      const code = verb === 'agents' ? 2 : 0
      expect(namesIn(await printed(words, code))).toEqual(namesIn(body))
    },
  )

  test('a page of a list has a cursor for the next, in both', async () => {
    const first = await printed(['runs', '--limit', '1'])
    const { body } = await world.call('GET', '/api/runs?limit=1')
    expect(first).toEqual(body)
    expect(first.nextCursor).toBe(first.items[0].id)
    const second = await printed(['runs', '--limit', '1', '--cursor', first.nextCursor])
    expect(second.items[0].id).not.toBe(first.items[0].id)
  })

  test('a unique beginning of an id is enough, of an argument and of a flag', async () => {
    const { thread = '', run = '', chainRun = '' } = ids
    expect((await printed(['threads', 'show', thread.slice(0, 12)])).id).toBe(thread)
    expect((await printed(['runs', 'show', run.slice(4, 14)])).id).toBe(run)
    expect((await printed(['chains', 'show', chainRun.slice(0, 14)])).id).toBe(ids.chain)
    const { items } = await printed(['runs', '--thread', thread.slice(0, 12)])
    expect(items.map((item: { threadId: string }) => item.threadId)).toEqual([thread, thread])
  })

  test('what a verb changed is what the route answers', async () => {
    const { id } = await world.thread()
    const named = await printed(['threads', 'rename', id, 'a', 'name'])
    expect(named).toEqual((await world.call('GET', `/api/threads/${id}`)).body)
    const other = await world.thread()
    const removed = await world.call('DELETE', `/api/threads/${other.id}`)
    expect(await printed(['threads', 'rm', id])).toEqual({ ...removed.body, id })
  })
})

function namesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(namesIn)
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? '' : null
  return Object.fromEntries(
    Object.entries(value)
      .map(([name]) => [name, true])
      .sort(),
  )
}
