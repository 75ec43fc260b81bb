// What each verb locks, on a SQLite whose dialect writes the names down: other databases depend on them.
import SqliteFile from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sampleChain } from '../../testing/store-conformance/chain-samples.ts'
import { enlistOf, sampleJob } from '../../testing/store-conformance/job-cases.ts'
import {
  LEASE_MS,
  OWNER,
  sampleEnd,
  sampleThread,
  sampleTurn,
  started,
  submitted,
} from '../../testing/store-conformance/samples.ts'
import type { StoreWithWork } from '../contract/store.ts'
import { sqlStore } from '../sql-store.ts'
import { sqliteDatabase } from '../sqlite/sqlite-connection.ts'
import type { Database, Sql } from './dialect.ts'
import { migrate } from './migrations.ts'
import { rowsOf } from './plain-sql.ts'

const NOW = 1_000
const OTHER = { ...OWNER, pid: 2 }
const ORDER = ['request', 'thread', 'session', 'entry', 'work']

let store: StoreWithWork
/** One list per transaction. */
let locked: string[][] = []

beforeEach(async () => {
  const database = sqliteDatabase(new SqliteFile(':memory:'), 1_000)
  await migrate(database)
  store = sqlStore(noting(database))
  locked = []
})

afterEach(() => store.close())

function noting(database: Database): Database {
  const transaction: Database['transaction'] = (access, work) =>
    database.transaction(access, tx => {
      const names: string[] = []
      locked.push(names)
      const noted: Sql = {
        ...tx,
        dialect: {
          ...tx.dialect,
          lockNames: async (_, statement) => {
            for (const { name } of await rowsOf(tx, statement)) names.push(name)
          },
        },
      }
      return work(noted)
    })
  return { ...database, transaction }
}

/** The names that the verb locks, each once, in the order of their first time. */
async function locksOf(verb: () => Promise<unknown>): Promise<readonly string[]> {
  locked = []
  await verb()
  return [...new Set(locked.flat())]
}

test('a turn locks its thread when it is submitted, claimed, cancelled, taken over and ended', async () => {
  const { threadId, run, lease } = await started(store)
  const thread = `thread:${threadId}`
  const key = { key: 'k', request: 'r', note: '' }
  const turn = { ...sampleTurn(threadId), key }
  expect(await locksOf(() => store.submitTurn(turn, NOW))).toEqual(['request:k', thread])
  const { run: next } = await submitted(store, threadId)
  expect(await locksOf(() => store.claimTurn(next.id, OWNER, LEASE_MS))).toEqual([thread])
  expect(await locksOf(() => store.requestCancel(next.id, NOW))).toEqual([thread])
  expect(await locksOf(() => store.takeOver(run.id, OTHER, OWNER, LEASE_MS))).toEqual([thread])
  expect(await locksOf(() => store.endRun(lease, sampleEnd(run)))).toEqual([thread])
})

test('an edit and a removal lock the thread, so that no turn comes in between', async () => {
  const thread = sampleThread()
  await store.createThread(thread, [])
  const change = { threadId: thread.id, branchId: 'brn_2', expected: [], messages: [], now: NOW }
  expect(await locksOf(() => store.replaceBranch(change))).toEqual([`thread:${thread.id}`])
  expect(await locksOf(() => store.removeThread(thread.id))).toEqual([`thread:${thread.id}`])
})

test('a chain locks the entries of its policy in its work dir, and a job the queue of its work', async () => {
  const chain = sampleChain()
  const names = await locksOf(() => store.startChain(chain, LEASE_MS))
  expect(names.some(name => name.startsWith('entry:'))).toBe(true)
  const job = sampleJob()
  expect(await locksOf(() => store.submitJob(job, enlistOf(job)))).toEqual(['work:jobs'])
})

test('within a transaction names are locked in one order: nobody waits in a circle', async () => {
  const { run, lease } = await started(store)
  await store.endRun(lease, sampleEnd(run))
  await store.startChain({ ...sampleChain(), key: { key: 'c', request: 'r', note: '' } }, LEASE_MS)
  const job = sampleJob()
  await store.submitJob(job, enlistOf(job), { key: 'j', request: 'r', note: '' })
  for (const names of locked) {
    const first = [...new Set(names)].map(name => ORDER.indexOf(name.split(':')[0] ?? ''))
    expect(first).toEqual(first.toSorted((a, b) => a - b))
  }
})
