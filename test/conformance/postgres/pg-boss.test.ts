// pg-boss as the engine, in several processes and over a network that fails.
import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Delivery, Engine, Handled } from '../../../src/engine/engine.ts'
import { bossWork } from '../../../src/engine/pg-boss/boss-work.ts'
import { openBoss, WORK_VERSION } from '../../../src/engine/pg-boss/open-boss.ts'
import { createPgBossEngine, PG_BOSS_TIMING } from '../../../src/engine/pg-boss/pg-boss.ts'
import { isAlive, systemClock, thisProcess } from '../../../src/runner/real-world.ts'
import type { StoreWithWork } from '../../../src/store/contract/store.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { startProxy } from '../../postgres/proxy.ts'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'

const WAIT = { timeout: 180_000 }
let database: TestDatabase
const stores: StoreWithWork[] = []
const engines: Engine[] = []
const programs: ChildProcess[] = []

beforeEach(async () => {
  database = await newDatabase()
})

afterEach(async () => {
  for (const program of programs.splice(0)) program.kill('SIGKILL')
  for (const engine of engines.splice(0)) await engine.close()
  for (const store of stores.splice(0)) await store.close()
  await database.drop()
})

async function engineAt(url: string, host = 'test'): Promise<Engine> {
  const store = await postgres(url)()
  stores.push(store)
  const work = store.workDatabase?.()
  if (!work) throw new Error('this store has no database for the engine')
  const owner = thisProcess(host)
  const parts = {
    clock: systemClock,
    owner,
    isAlive: (other: typeof owner) => isAlive(other, host),
  }
  const engine = createPgBossEngine(work, parts, { ...PG_BOSS_TIMING, beatMs: 10_000 })
  engines.push(engine)
  return engine
}

/** Gives what the worker has printed so far. */
function worker(what: 'count' | 'hold', host: string) {
  const path = join(import.meta.dirname, '..', 'store-programs', 'engine-worker.ts')
  const program = spawn(process.execPath, [path, database.url, what, host], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  programs.push(program)
  const lines: string[] = []
  createInterface({ input: program.stdout }).on('line', line => lines.push(line))
  return { program, lines }
}

test('J-7 limits per key hold over 8 workers in 4 processes that begin together on a new database', async () => {
  await database.run(
    `create table public.out (key text primary key, now int default 0, most int default 0, handled int default 0);
    insert into public.out (key) values ('one'), ('three'), ('free')`,
  )
  const engine = await engineAt(database.url)
  const workers = Array.from({ length: 4 }, (_, index) => worker('count', `host${index}`))
  await Promise.all(
    Array.from({ length: 24 }, async (_, number) => {
      await engine.dispatch({ queue: 'jobs', id: `a${number}`, key: 'one' })
      await engine.dispatch({ queue: 'jobs', id: `b${number}`, key: 'three', perKey: 3 })
    }),
  )
  workers.push(...Array.from({ length: 4 }, (_, index) => worker('count', `host${index}`)))
  const counted = () => database.run('select key, most, handled from public.out order by key')
  await expect.poll(counted, WAIT).toMatchObject([{}, { handled: 24 }, { handled: 24 }])
  expect(await counted()).toEqual([
    { key: 'free', most: 0, handled: 0 },
    { key: 'one', most: 1, handled: 24 },
    { key: 'three', most: 3, handled: 24 },
  ])
  expect(workers).toHaveLength(8)
})

test('J-8 a killed worker of this host loses its work at once, one of another host after its heartbeat', async () => {
  const engine = await engineAt(database.url, 'here')
  const [near, far] = [worker('hold', 'here'), worker('hold', 'elsewhere')]
  for (const [id, { lines }] of [
    ['n', near],
    ['f', far],
  ] as const) {
    await expect.poll(() => lines, WAIT).toContain('ready')
    // Each worker holds one piece: the other one is stopped meanwhile, and takes nothing.
    const other = id === 'n' ? far : near
    other.program.kill('SIGSTOP')
    await engine.dispatch({ queue: 'jobs', id })
    await expect.poll(() => lines, WAIT).toContain(`began ${id}`)
    other.program.kill('SIGCONT')
  }
  for (const { program } of [near, far]) program.kill('SIGKILL')
  const seen: Delivery[] = []
  const handler = async (delivery: Delivery): Promise<Handled> => {
    seen.push(delivery)
    return { next: 'done' }
  }
  engine.consume('jobs', handler, { concurrency: 2 })
  await expect.poll(() => seen.map(({ id }) => id), WAIT).toEqual(['n', 'f'])
  expect(seen.map(({ failures }) => failures)).toEqual([1, 1])
})

test('J-8 a worker that was paused past its heartbeat has lost its work when it goes on', async () => {
  const paused = worker('hold', 'here')
  const engine = await engineAt(database.url, 'here')
  await engine.dispatch({ queue: 'jobs', id: 'w' })
  await expect.poll(() => paused.lines, WAIT).toContain('began w')
  paused.program.kill('SIGSTOP')
  const release = Promise.withResolvers<Handled>()
  let began = 0
  const handler = () => {
    began += 1
    return release.promise
  }
  engine.consume('jobs', handler, { concurrency: 1 })
  await expect.poll(() => began, WAIT).toBe(1)
  paused.program.kill('SIGCONT')
  await expect.poll(() => paused.lines, WAIT).toContain('lost w')
  // The work is still ours.
  expect((await engine.having('jobs', ['w'])).size).toBe(1)
  release.resolve({ next: 'done' })
  await expect.poll(async () => (await engine.having('jobs', ['w'])).size, WAIT).toBe(0)
})

test('J-8 a consumer goes on after the database was away, and gets what was stored meanwhile', async () => {
  const proxy = await startProxy(database.url)
  const away = await engineAt(proxy.url)
  const other = await engineAt(database.url)
  const seen: string[] = []
  const handler = async ({ id }: Delivery): Promise<Handled> => {
    seen.push(id)
    return { next: 'done' }
  }
  away.consume('jobs', handler, { concurrency: 2 })
  await other.dispatch({ queue: 'jobs', id: 'before' })
  await expect.poll(() => seen, WAIT).toEqual(['before'])
  proxy.refuse()
  await other.dispatch({ queue: 'jobs', id: 'meanwhile' })
  proxy.heal()
  await expect.poll(() => seen, WAIT).toEqual(['before', 'meanwhile'])
  proxy.cut()
  await other.dispatch({ queue: 'jobs', id: 'after' })
  await expect.poll(() => seen, WAIT).toEqual(['before', 'meanwhile', 'after'])
  await proxy.close()
})

test('J-8 a worker beats for all its work and ends what is done in one statement each', async () => {
  const store = await postgres(database.url)()
  stores.push(store)
  const work = store.workDatabase?.()
  if (!work) throw new Error('this store has no database for the engine')
  // How much work each statement was about.
  const sizes = { beats: [] as number[], finishes: [] as number[] }
  const run: typeof work.run = (text, values) => {
    const [, rows] = values ?? []
    const size = Array.isArray(rows) ? rows.length : 0
    if (/^\s*delete/.test(text)) sizes.finishes.push(size)
    if (/^\s*update \S+\s+set heartbeat_on/.test(text)) sizes.beats.push(size)
    return work.run(text, values)
  }
  const owner = thisProcess('here')
  const parts = { clock: systemClock, owner, isAlive: () => true }
  const engine = createPgBossEngine({ ...work, run }, parts)
  engines.push(engine)
  for (let number = 0; number < 8; number += 1)
    await engine.dispatch({ queue: 'jobs', id: `w${number}`, isFresh: true })
  const release = Promise.withResolvers<Handled>()
  const consumer = engine.consume('jobs', () => release.promise, { concurrency: 8 })
  await expect.poll(() => consumer.active, WAIT).toBe(8)
  sizes.beats.length = 0
  await expect.poll(() => sizes.beats.length, WAIT).toBeGreaterThan(1)
  release.resolve({ next: 'done' })
  await expect.poll(() => consumer.active, WAIT).toBe(0)
  expect(new Set(sizes.beats)).toEqual(new Set([8]))
  expect(sizes.finishes).toEqual([8])
  expect((await engine.having('jobs', ['w0', 'w7'])).size).toBe(0)
})

test('J-8 of two deliveries of the same work in one statement, only the later one beats and ends it', async () => {
  const store = await postgres(database.url)()
  stores.push(store)
  const work = store.workDatabase?.()
  if (!work) throw new Error('this store has no database for the engine')
  const settings = { heartbeatSeconds: 10, retrySeconds: 0, maxRetrySeconds: 0 }
  const kept = bossWork(work, await openBoss(work, settings))
  const now = Date.now()
  const wanted = { queue: 'jobs', id: 'w', key: null, perKey: 1, lane: '', priority: 0 }
  await kept.enqueueWork({ ...wanted, notBefore: 0, retryLimit: 3 }, now)
  const taking = { queue: 'jobs', owner: thisProcess('here'), beatMs: 10_000, now }
  const first = await kept.dequeueWork(taking)
  if (first) await kept.endWork(first, { next: 'failed', error: 'silent', retryAt: now })
  const later = await kept.dequeueWork(taking)
  if (!first || !later) throw new Error('nothing was handed out')
  const beats = [kept.beatWork(first, 10_000), kept.beatWork(later, 10_000)]
  expect(await Promise.allSettled(beats)).toMatchObject([
    { status: 'rejected', reason: { code: 'lease-lost' } },
    { status: 'fulfilled', value: { cancelRequested: false } },
  ])
  expect(await kept.endWork(first, { next: 'done' })).toBe(false)
  const ends = [kept.endWork(first, { next: 'done' }), kept.endWork(later, { next: 'done' })]
  expect(await Promise.all(ends)).toEqual([false, true])
})

test('J-8 a user who may not create schemas works in those that an administrator made', async () => {
  const name = `worker_${process.pid}`
  await database.run(`create role ${name} login password 'secret'`)
  for (const schema of ['reprise', 'reprise_work'])
    await database.run(`create schema ${schema} authorization ${name}`)
  const url = new URL(database.url)
  url.username = name
  url.password = 'secret'
  const engine = await engineAt(url.href)
  expect(await engine.dispatch({ queue: 'jobs', id: 'w' })).toBe('new')
  expect((await engine.having('jobs', ['w'])).size).toBe(1)
})

test('I13 a queue that a newer version has upgraded is refused; a process that has it open goes on', async () => {
  const packageOf = createRequire(import.meta.resolve('pg-boss'))
  expect(packageOf('../package.json')).toMatchObject({ pgboss: { schema: WORK_VERSION } })
  const before = await engineAt(database.url)
  await before.dispatch({ queue: 'jobs', id: 'w' })
  await database.run('update reprise_work.version set version = version + 1')
  const later = await engineAt(database.url)
  await expect(later.dispatch({ queue: 'jobs', id: 'x' })).rejects.toMatchObject({
    code: 'store-newer',
    message: expect.stringContaining(`this one knows ${WORK_VERSION}`),
    hint: expect.stringContaining('Upgrade Reprise'),
  })
  await before.dispatch({ queue: 'jobs', id: 'y' })
  expect([...(await before.having('jobs', ['w', 'x', 'y']))].sort()).toEqual(['w', 'y'])
})
