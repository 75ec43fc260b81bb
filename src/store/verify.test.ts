// Every rule of the checker finds what breaks it: a healthy store is tampered with, one rule at a time.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { sampleChain } from '../testing/store-conformance/chain-samples.ts'
import { enlistOf, sampleJob } from '../testing/store-conformance/job-cases.ts'
import {
  LEASE_MS,
  sampleEnd,
  sampleMessage,
  sampleSessionChange,
  sampleThread,
  started,
  submitted,
} from '../testing/store-conformance/samples.ts'
import type { Store } from './contract/store.ts'
import { sqlite } from './sqlite/sqlite.ts'

const directory = mkdtempSync(join(tmpdir(), 'reprise-verify-'))
const healthy = join(directory, 'healthy.db')
let files = 0

afterAll(() => rmSync(directory, { recursive: true }))

const model = await sqlite(healthy)()
await lived(model)
await model.close()

/** One thread with an ended run, one with a run that is going and one that is queued. */
async function lived(store: Store): Promise<void> {
  const done = await started(store)
  await store.announceSession(done.lease, done.run.id, done.session)
  const events = [1, 2, 3].map(at => ({ at, type: 'text', json: '{}' }))
  await store.appendEvents(done.lease, done.run.id, events)
  const session = sampleSessionChange(done.session.id)
  await store.endRun(done.lease, sampleEnd(done.run, { session }))
  const going = await started(store)
  await submitted(store, going.threadId)
  await store.startChain(sampleChain(), LEASE_MS)
  const job = sampleJob()
  await store.submitJob(job, enlistOf(job))
  const over = sampleJob()
  await store.submitJob(over, enlistOf(over))
  await store.requestJobCancel(over.id, 2_000)
}

const DONE = "(select id from runs where status = 'completed')"

const TAMPERINGS: readonly (readonly [rule: string, statement: string])[] = [
  ['structure', "delete from messages where role = 'user'"],
  ['I2-one-run-per-thread', "update runs set status = 'running' where status = 'queued'"],
  ['I2-one-run-per-thread', "update runs set status = 'waiting' where status = 'queued'"],
  [
    'I2-one-run-per-session',
    `update runs set session_id = 'same', status = 'waiting', ended_at = null`,
  ],
  [
    'I2-one-run-per-session',
    `update runs set session_id = 'same', status = 'running', ended_at = null`,
  ],
  ['I2-lease-of-ended-run', `update leases set run_id = ${DONE} where run_id is null`],
  ['I2-lease-of-ended-run', "update leases set run_id = 'run_none' where run_id is null"],
  ['I4-cost-not-negative', `update runs set cost_usd = -0.01 where id = ${DONE}`],
  ['I6-confirmed-is-proven', 'update sessions set confirmed_at = null'],
  ['I6-confirmed-is-proven', 'delete from session_seen'],
  ['I6-retired-has-reason', "update sessions set pointer = 'retired'"],
  ['I9-ended-once', 'update runs set ended_at = null'],
  ['I9-ended-once', "update runs set ended_at = 1 where status = 'queued'"],
  ['I9-failure-fits-status', `update runs set failure = '{}' where id = ${DONE}`],
  ['I9-failure-fits-status', `update runs set status = 'failed' where id = ${DONE}`],
  ['I9-going-has-owner', "update leases set run_id = null where resource like 'thread:%'"],
  ['I9-going-has-owner', "update runs set owner = '' where status = 'queued'"],
  ['J-8-job-ended-once', "update jobs set status = 'dead' where status = 'queued'"],
  ['J-8-job-ended-once', "update jobs set ended_at = 1 where status = 'queued'"],
  ['J-8-runs-of-a-job-on-its-thread', `update runs set job_id = 'job_none' where id = ${DONE}`],
  [
    'J-8-job-that-is-over-has-no-open-run',
    "update runs set job_id = (select id from jobs where status = 'cancelled') where status = 'running' and chain_id is null",
  ],
  ['I10-events-gapless', 'delete from events where seq = 2'],
  ['I10-events-gapless', 'delete from events where seq = 1'],
  ['answer-on-branch', 'delete from branch_entries where position = 1'],
  ['answer-on-branch', `update runs set answer_message_id = null where id = ${DONE}`],
  ['branch-contiguous', 'update branch_entries set position = position + 1 where position = 1'],
  ['thread-has-branch', "update threads set branch_id = 'brn_none'"],
  ['continued-run-exists', `update runs set continued_by = 'run_none' where id = ${DONE}`],
  ['E-2-running-chain-has-run', "update chains set status = 'resolved'"],
  ['E-2-running-chain-has-run', 'update runs set chain_id = null'],
  ['S18-one-tier-at-a-time', 'update runs set tier = 2 where tier = 1'],
  ['S18-tier-ceiling', 'update runs set tier = 4 where tier = 1'],
  ['message-hash', "update messages set text = 'never said'"],
]

test('message-hash is found in every message of a store that is read in several pages', async () => {
  const file = join(directory, 'large.db')
  const store = await sqlite(file)()
  const messages = Array.from({ length: 1_001 }, (_, at) => sampleMessage({ text: `said ${at}` }))
  await store.createThread(sampleThread(), messages)
  expect(await store.verify()).toEqual([])
  tamper(file, "update messages set text = 'never said'")
  const wrong = (await store.verify()).map(({ subject }) => subject)
  expect(wrong.toSorted()).toEqual(messages.map(({ id }) => id).toSorted())
  await store.close()
})

test.each(TAMPERINGS)('%s is found after: %s', async (rule, statement) => {
  const file = join(directory, `${files++}.db`)
  copyFileSync(healthy, file)
  const store = await sqlite(file)()
  expect(await store.verify()).toEqual([])
  tamper(file, statement)
  const violations = await store.verify()
  expect(violations.map(violation => violation.rule)).toContain(rule)
  for (const violation of violations)
    expect(violation).toMatchObject({
      subject: expect.stringMatching(/./),
      detail: expect.stringMatching(/./),
    })
  await store.close()
})

function tamper(file: string, statement: string): void {
  const raw = new Database(file)
  raw.pragma('foreign_keys = off')
  const { changes } = raw.prepare(statement).run()
  raw.close()
  expect(changes).toBeGreaterThan(0)
}
