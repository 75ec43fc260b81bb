// What networks and servers do to a store on PostgreSQL: nothing that was acknowledged is lost, nothing is done twice.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { StoreWithWork } from '../../../src/store/contract/store.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { LOCKS } from '../../../src/store/postgres/postgres-dialect.ts'
import { enlistOf, sampleJob } from '../../../src/testing/store-conformance/job-cases.ts'
import {
  sampleThread,
  sampleTurn,
  started,
} from '../../../src/testing/store-conformance/samples.ts'
import { type DatabaseProxy, startProxy } from '../../postgres/proxy.ts'
import { type PostgresServer, startPostgres } from '../../postgres/server.ts'
import { newDatabase, runOn, type TestDatabase } from '../../postgres/shared.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let store: StoreWithWork
let threadId = ''

beforeAll(async () => {
  database = await newDatabase()
  proxy = await startProxy(database.url)
  store = await postgres(proxy.url, { awayMs: 60_000 })()
})

beforeEach(async () => {
  const thread = sampleThread()
  threadId = thread.id
  await store.createThread(thread, [])
})

afterAll(async () => {
  await store.close()
  await proxy.close()
  await database.drop()
})

async function runIds(): Promise<readonly string[]> {
  const runs = await store.listRuns({ threadId, limit: 1_000 })
  return runs.map(({ id }) => id).sort()
}

test('I1 verbs go on when connections are cut, and store each turn once', async () => {
  const acknowledged: string[] = []
  const writers = Array.from({ length: 4 }, async () => {
    for (let turn = 0; turn < 15; turn += 1) {
      const submitted = sampleTurn(threadId)
      const key = { key: submitted.run.id, request: 'r', note: '' }
      // A caller that does not know whether its turn was stored sends it again with the same key.
      for (let isStored = false; !isStored; ) {
        isStored = await store.submitTurn({ ...submitted, key }, 1).then(
          () => true,
          () => false,
        )
      }
      acknowledged.push(submitted.run.id)
      if (turn % 3 === 0) proxy.cut()
    }
  })
  await Promise.all(writers)
  expect(await runIds()).toEqual(acknowledged.sort())
  expect(await store.verify()).toEqual([])
})

test('I1 a host that falls silent while it holds the lock of the feed keeps the others waiting for seconds, not until they give up', async () => {
  const stuck = await startProxy(database.url)
  const silent = await postgres(stuck.url, { awayMs: 0 })()
  stuck.fallSilentAfter("hashtextextended('feed'")
  const late = silent.createThread(sampleThread(), []).catch(error => error)
  const holds = `select 1 from pg_stat_activity where state = 'idle in transaction' and query like '%''feed''%'`
  await expect.poll(() => database.run(holds), { timeout: 60_000 }).toHaveLength(1)
  // Longer than the others may keep it, shorter than other transactions may be idle.
  const other = await postgres(database.url, { statementMs: 20_000 })()
  const next = sampleThread()
  await other.createThread(next, [])
  expect(await other.thread(next.id)).toMatchObject({ id: next.id })
  stuck.heal()
  expect(await late).toMatchObject({ code: 'store-unusable' })
  await Promise.all([other.close(), silent.close()])
  await stuck.close()
})

test('I1 of the transactions of a host, one at a time asks for the lock of the feed, so that a host which is stopped holds it once', async () => {
  await database.run('begin')
  // As the store names it.
  await database.run(`select pg_advisory_xact_lock(hashtextextended('feed', ${LOCKS}))`)
  const writers = Array.from({ length: 5 }, () => store.createThread(sampleThread(), []))
  const inTransaction = `select pid from pg_stat_activity
    where datname = current_database() and application_name = 'reprise' and xact_start is not null`
  await expect.poll(() => runOn(database.url, inTransaction), { timeout: 60_000 }).toHaveLength(5)
  const inLine = `select pid from pg_locks where locktype = 'advisory' and not granted
    and pid in (${inTransaction})`
  await expect.poll(() => runOn(database.url, inLine), { timeout: 60_000 }).toHaveLength(1)
  await database.run('rollback')
  await Promise.all(writers)
})

test('I8 a commit whose reply is lost counts as what it was, and is not done again', async () => {
  const turn = sampleTurn(threadId)
  proxy.loseReplyToCommit()
  expect((await store.submitTurn(turn, 1)).id).toBe(turn.run.id)
  expect(await runIds()).toEqual([turn.run.id])
  const job = sampleJob()
  proxy.loseReplyToCommit()
  expect(await store.submitJob(job, enlistOf(job))).toBe(job.id)
  expect((await store.job(job.id))?.status).toBe('queued')
})

test('a database that stays away gives store-unusable, and the store works again afterwards', async () => {
  const impatient = await postgres(proxy.url, { awayMs: 200 })()
  proxy.refuse()
  await expect(impatient.createThread(sampleThread(), [])).rejects.toMatchObject({
    code: 'store-unusable',
    message: expect.stringContaining('does not answer'),
  })
  await expect(impatient.listThreads({ limit: 1 })).rejects.toMatchObject({
    code: 'store-unusable',
  })
  proxy.heal()
  expect(await impatient.listThreads({ limit: 1 })).toHaveLength(1)
  await impatient.close()
})

test('I2 a transaction that PostgreSQL undoes because of another one is repeated', async () => {
  // A sequence is not undone with its transaction, so it counts the tries.
  await database.run(`
    create sequence public.tries;
    create function reprise.fail_often() returns trigger language plpgsql as $$
    begin
      if nextval('public.tries') <= 5 then
        raise exception 'injected' using errcode = case nextval('public.tries') % 4 when 0 then '40P01' else '40001' end;
      end if;
      return new;
    end $$;
    create trigger fail_often before insert on reprise.runs
      for each row execute function reprise.fail_often();
  `)
  try {
    const { run, lease } = await store.submitAndClaim(sampleTurn(threadId), 1, 60_000)
    expect(lease?.token).toBe(1)
    expect(await runIds()).toEqual([run.id])
    const [tried] = await database.run('select last_value::int as count from public.tries')
    expect(Number(tried?.count)).toBeGreaterThan(5)
  } finally {
    await database.run('drop trigger fail_often on reprise.runs')
  }
})

test('I2 a failure that never ends is an error after a bounded number of tries', async () => {
  await database.run(`
    create function reprise.fail_always() returns trigger language plpgsql as $$
    begin raise exception 'injected' using errcode = '40001'; end $$;
    create trigger fail_always before insert on reprise.runs
      for each row execute function reprise.fail_always();
  `)
  try {
    await expect(store.submitTurn(sampleTurn(threadId), 1)).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('other processes keep changing the same rows'),
    })
    expect(await runIds()).toEqual([])
  } finally {
    await database.run('drop trigger fail_always on reprise.runs')
  }
})

test('two transactions that lock each other out are both carried out', async () => {
  const first = await started(store)
  const second = await started(store)
  await Promise.all(
    [first, second].flatMap(({ lease, run }) =>
      Array.from({ length: 10 }, () =>
        store.appendEvents(lease, run.id, [{ at: 1, type: 'text', json: '{}' }]),
      ),
    ),
  )
  expect(await store.events(first.run.id, 0, 100)).toHaveLength(10)
  expect(await store.events(second.run.id, 0, 100)).toHaveLength(10)
})

test('I1 a server that is restarted, also by a crash, loses nothing', async () => {
  // With fsync, as a real server: what it acknowledged must be on the disk.
  const server: PostgresServer = await startPostgres(['fsync=on'])
  const restarted = await postgres(server.url, { awayMs: 60_000 })()
  const thread = sampleThread()
  await restarted.createThread(thread, [])
  const stored: string[] = []
  for (const how of ['fast', 'immediate'] as const) {
    const isOver = server.restart(how)
    const turns = Array.from({ length: 4 }, () => sampleTurn(thread.id))
    for (const turn of turns) stored.push((await restarted.submitTurn(turn, 1)).id)
    await isOver
  }
  const runs = await restarted.listRuns({ threadId: thread.id, limit: 100 })
  expect(runs.map(({ id }) => id)).toEqual(stored.toReversed())
  expect(await restarted.verify()).toEqual([])
  await restarted.close()
  await expect(runOn(server.url, 'select 1')).resolves.toHaveLength(1)
  await server.stop()
})
