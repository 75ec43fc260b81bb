// The database is away while an agent works: the agent goes on, its events wait on disk, and each of them is stored once. When the
// lease may have expired, the agent stops, and what it said is stored only if nobody else has taken over its run.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RunEvent } from '../../src/core/run/run-events.ts'
import { claudeCode, createReprise, type LocalReprise, postgres } from '../../src/index.ts'
import { Spool, type SpoolOptions } from '../../src/spool/spool.ts'
import type { StoreWithWork } from '../../src/store/contract/store.ts'
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { createFakeRunner } from '../../src/testing/fake-runner.ts'
import { smallWorld } from '../../src/testing/in-process-agent.ts'
import {
  OWNER,
  sampleStart,
  sampleThread,
  sampleTurn,
} from '../../src/testing/store-conformance/samples.ts'
import { type DatabaseProxy, startProxy } from '../postgres/proxy.ts'
import { newDatabase, type TestDatabase } from '../postgres/shared.ts'

const LONG_MS = 3_600_000
const WORDS = Array.from({ length: 60 }, (_, index) => `word ${index}, `)

/** Says something, waits until the database is away, says a word, waits again, says a lot, and waits until it may end. */
const TALKS: FakeScript = [
  {
    do: [
      {
        type: 'text',
        text: [
          'before, ',
          { waitForFile: '/away' },
          ...WORDS.slice(0, 1),
          { waitForFile: '/more' },
          ...WORDS.slice(1).flatMap(word => [word, { sleepMs: 10 }]),
          { waitForFile: '/end' },
          'after',
        ],
      },
    ],
  },
]

let database: TestDatabase
let proxy: DatabaseProxy
let directory = ''
let open: LocalReprise[] = []

beforeEach(async () => {
  database = await newDatabase('store')
  proxy = await startProxy(database.url)
  directory = mkdtempSync(join(tmpdir(), 'reprise-away-'))
  open = []
})

afterEach(async () => {
  proxy.heal()
  for (const reprise of open) await reprise.close()
  await proxy.close()
  await database.drop()
  rmSync(directory, { recursive: true, force: true })
})

type WorldOptions = SpoolOptions & { readonly leaseMs?: number; readonly renewMs?: number }

async function world({ leaseMs = LONG_MS, renewMs = LONG_MS, ...spool }: WorldOptions = {}) {
  const files = await smallWorld()
  const runner = createFakeRunner({ files, script: TALKS, hangs: 'until-stopped' })
  const reprise = createReprise({
    store: postgres(proxy.url, { awayMs: 300 }),
    agents: [claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })],
    environment: {},
    timing: { leaseMs, renewMs, eventBatchMs: 5, queuePollMs: 5, followPollMs: 20 },
    dependencies: { files, runner, spool: new Spool(directory, { afterMs: 50, ...spool }) },
  })
  open.push(reprise)
  const thread = await reprise.threads.create({ workDir: '/project' })
  const turn = thread.send('talk')
  const result = turn.result.catch((error: unknown) => error)
  const { runId } = await turn.submitted
  await expect.poll(() => textOf(runId)).toBe('before, ')
  const write = (path: string) => files.write(path, '')
  const saysAll = async () => {
    await write('/away')
    await write('/more')
  }
  return { reprise, runner, thread, turn, result, runId, write, saysAll }
}

/** What the database holds, also while other processes cannot reach it. */
async function eventsOf(runId: string): Promise<readonly RunEvent[]> {
  const rows = await database.run(
    `select json from reprise.events where run_id = '${runId}' order by seq`,
  )
  return rows.map(({ json }) => JSON.parse(String(json)))
}

async function textOf(runId: string): Promise<string> {
  const events = await eventsOf(runId)
  return events.map(textIn).join('')
}

const textIn = (event: RunEvent) => (event.type === 'text' ? event.text : '')

const spooled = () => readdirSync(directory)

/** What waits on disk. How much an agent says until it is stopped depends on how busy the machine is. */
function spooledText(runId: string): string {
  const events = new Spool(directory).left(runId)?.events ?? []
  return events.map(({ json }) => textIn(JSON.parse(json))).join('')
}
const ALL_SAID = `before, ${WORDS.join('')}after`

test('I1 I10 U-4 an agent goes on while the database is away; its events wait on disk for us alone and are stored in order, each once', async () => {
  const { reprise, thread, turn, result, runId, write, saysAll } = await world()
  const seen: string[] = []
  const following = (async () => {
    for await (const event of turn) if (event.type === 'text') seen.push(event.text)
  })()
  proxy.refuse()
  await saysAll()
  await expect.poll(spooled).toEqual([`${runId}.jsonl`])
  expect(statSync(join(directory, `${runId}.jsonl`)).mode & 0o777).toBe(0o600)
  expect(reprise.databaseAwaySince()).toBeGreaterThan(0)
  // Nothing new is acknowledged meanwhile.
  await expect(thread.send('more').submitted).rejects.toMatchObject({ code: 'store-unusable' })
  await expect
    .poll(() => readFileSync(join(directory, `${runId}.jsonl`), 'utf8'))
    .toContain('word 59')
  await write('/end')
  expect(await textOf(runId)).toBe('before, ')
  proxy.heal()
  expect(await result).toMatchObject({ run: { status: 'completed' }, text: ALL_SAID })
  await following
  expect(await textOf(runId)).toBe(ALL_SAID)
  expect(seen.join('')).toBe(ALL_SAID)
  expect(spooled()).toEqual([])
  expect(reprise.databaseAwaySince()).toBeNull()
  expect(await reprise.verify()).toEqual([])
  // What could not be acknowledged was not stored either.
  expect((await thread.show()).messages).toHaveLength(2)
})

test('I8 I10 events whose commit was carried out, but whose reply was lost when the database went away, are stored once', async () => {
  const { result, runId, write } = await world()
  proxy.loseReplyToCommit()
  await write('/away')
  await expect.poll(() => textOf(runId)).toContain('word 0')
  proxy.refuse()
  await write('/more')
  await expect.poll(spooled).toEqual([`${runId}.jsonl`])
  await write('/end')
  proxy.heal()
  expect(await result).toMatchObject({ run: { status: 'completed' } })
  expect(await textOf(runId)).toBe(ALL_SAID)
})

test.each(['refuse', 'fallSilent'] as const)(
  'I2 V-4 when the lease may have expired, the agent stops although nobody can be asked (%s); what it said is stored later',
  async how => {
    const { runner, result, runId, saysAll } = await world({ leaseMs: 3_000, renewMs: 100 })
    proxy[how]()
    await saysAll()
    await expect.poll(() => runner.running).toEqual([])
    expect(await textOf(runId)).toBe('before, ')
    const waits = spooledText(runId)
    expect(waits).toContain('word 0')
    proxy.heal()
    expect(await result).toMatchObject({
      run: {
        status: 'interrupted',
        exit: { endedBy: 'database-away' },
        failure: {
          class: 'supervisor-died',
          message: expect.stringContaining('the database was away for longer than the lease'),
        },
      },
    })
    const stored = await textOf(runId)
    expect(stored.startsWith(`before, ${waits}`)).toBe(true)
    expect(ALL_SAID.startsWith(stored)).toBe(true)
    expect(spooled()).toEqual([])
  },
)

test('I2 V-4 events of a run that another process has taken over meanwhile are kept out, with the reason', async () => {
  const { runner, result, runId, saysAll } = await world({ leaseMs: 3_000, renewMs: 100 })
  const elsewhere = await postgres(database.url)()
  try {
    proxy.refuse()
    await saysAll()
    await expect.poll(() => runner.running).toEqual([])
    const isExpired = async () =>
      (await elsewhere.openRuns()).find(({ run }) => run.id === runId)?.expired
    await expect.poll(isExpired).toBe(true)
    const [found] = await elsewhere.openRuns()
    const other = { host: 'elsewhere', pid: 1, startTime: '0' }
    if (found) expect(await elsewhere.takeOver(runId, found.owner, other, LONG_MS)).not.toBeNull()
    proxy.heal()
    await result
    expect(spooled()).toEqual([`${runId}.kept-out`])
    const [kept] = new Spool(directory).keptOut()
    expect(kept?.reason).toContain('another process has taken it over')
    expect(readFileSync(kept?.path ?? '', 'utf8')).toContain('word 0')
    expect(await textOf(runId)).toBe('before, ')
    expect(await elsewhere.run(runId)).toMatchObject({ status: 'running' })
  } finally {
    await elsewhere.close()
  }
})

test('U-4 a run whose events do not fit on the disk is stopped with the reason; what was kept is stored without a gap', async () => {
  const { runner, result, runId, saysAll } = await world({ maxBytes: 1_500 })
  proxy.refuse()
  await saysAll()
  await expect.poll(() => runner.running).toEqual([])
  proxy.heal()
  expect(await result).toMatchObject({
    run: {
      status: 'interrupted',
      exit: { endedBy: 'spool-full' },
      failure: { message: expect.stringContaining('did not fit on the disk') },
    },
  })
  const stored = await textOf(runId)
  expect(ALL_SAID.startsWith(stored)).toBe(true)
  expect(stored.length).toBeGreaterThan('before, '.length)
  expect(await eventsOf(runId)).toContainEqual(
    expect.objectContaining({ type: 'notice', code: 'events-missing' }),
  )
})

const FILL_DISK = `
  create function reprise.full_disk() returns trigger language plpgsql as $$
  begin raise exception 'could not extend file' using errcode = '53100'; end $$;
  create trigger full_disk before insert on reprise.events for each row execute function reprise.full_disk();
  create trigger full_disk before insert on reprise.messages for each row execute function reprise.full_disk()`
const FREE_DISK =
  'drop trigger full_disk on reprise.events; drop trigger full_disk on reprise.messages'

test('U-4 I1 a turn whose agent ends while the disk of the database is full fails and says so, and nothing new is acknowledged; when there is space again, all its events are stored, and the thread goes on', async () => {
  const { reprise, result, runId, thread, saysAll, write } = await world()
  await database.run(FILL_DISK)
  await saysAll()
  await write('/end')
  expect(await result).toMatchObject({ code: 'store-full' })
  const more = thread.send('more').submitted
  await expect(more).rejects.toMatchObject({ code: 'store-full' })
  expect(await textOf(runId)).toBe('before, ')
  await database.run(FREE_DISK)
  expect(await thread.send('again').result).toMatchObject({ run: { status: 'completed' } })
  expect((await reprise.runs.get(runId)).status).toBe('interrupted')
  expect(await textOf(runId)).toBe(ALL_SAID)
  expect(spooled()).toEqual([])
  expect(await reprise.verify()).toEqual([])
})

test('U-4 I1 a turn goes on over a full disk of the database: its events wait, and are stored when there is space again', async () => {
  const { reprise, result, runId, saysAll, write } = await world()
  await database.run(FILL_DISK)
  await saysAll()
  await expect.poll(() => spooledText(runId)).toContain('word 0')
  await database.run(FREE_DISK)
  await write('/end')
  expect(await result).toMatchObject({ run: { status: 'completed' } })
  expect(await textOf(runId)).toBe(ALL_SAID)
  expect(spooled()).toEqual([])
  expect(await reprise.verify()).toEqual([])
})

/** A run of a process that died while the database was away: one of its three events had been stored. */
async function leftByDead(store: StoreWithWork) {
  const thread = sampleThread()
  await store.createThread(thread, [])
  const { run, lease } = await store.submitAndClaim(sampleTurn(thread.id), 1, LONG_MS)
  if (!lease) throw new Error('nobody else has the thread')
  await store.startRun(lease, sampleStart(run.id))
  const said = ['a', 'b', 'c'].map((text, at) => ({
    at,
    type: 'text',
    json: JSON.stringify({ type: 'text', text }),
  }))
  await store.appendEvents(lease, run.id, said.slice(0, 1))
  const file = new Spool(directory).open({ runId: run.id, lease })
  for (const event of said) file.add([event])
  file.leave()
  return run.id
}

async function successor(): Promise<void> {
  const reprise = createReprise({
    store: postgres(database.url),
    agents: [claudeCode({ executable: '/bin/agent' })],
    environment: {},
    dependencies: {
      files: await smallWorld(),
      isAlive: owner => owner.pid !== OWNER.pid,
      spool: new Spool(directory),
    },
  })
  open.push(reprise)
  await reprise.threads.list()
}

test('I1 I10 a process that dies while the database is away leaves its events to the process that ends the run: each is stored once', async () => {
  const store = await postgres(database.url)()
  const runId = await leftByDead(store)
  await successor()
  expect(await textOf(runId)).toBe('abc')
  expect(await store.run(runId)).toMatchObject({ status: 'interrupted' })
  expect(spooled()).toEqual([])
  await store.close()
})

test('I2 events that a dead process left of a run which ended elsewhere are kept out, with the reason', async () => {
  const store = await postgres(database.url)()
  const runId = await leftByDead(store)
  await database.run(
    `update reprise.runs set status = 'interrupted', ended_at = 1 where id = '${runId}'`,
  )
  await successor()
  expect(await textOf(runId)).toBe('a')
  expect(new Spool(directory).keptOut()).toEqual([
    expect.objectContaining({ reason: expect.stringContaining('ended without them') }),
  ])
  await store.close()
})
