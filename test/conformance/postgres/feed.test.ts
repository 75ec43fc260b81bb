// Readers of the feed go on after the last position they saw. Transactions on PostgreSQL run beside each other, and the one that
// began first may commit last: a reader must not have passed it by then.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoreWithWork } from '../../../src/store/contract/store.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { sampleThread, started } from '../../../src/testing/store-conformance/samples.ts'
import { httpWorld } from '../../e2e/http/http-world.ts'
import { readEvents } from '../../e2e/http/sse-reader.ts'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'

let database: TestDatabase
let store: StoreWithWork
/** Of another process: those of one process go one after another. */
let other: StoreWithWork

beforeAll(async () => {
  database = await newDatabase()
  store = await postgres(database.url)()
  other = await postgres(database.url)()
  // A commit that writes `slow` waits until the test lets it go on: after it has got its position, before it is visible.
  await database.run(`
    create function reprise.wait_at_commit() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(42);
      return null;
    end $$;
    create constraint trigger slow_events after insert on reprise.events
      deferrable initially deferred for each row when (new.json in ('"slow"', '{"type":"text","text":"late"}'))
      execute function reprise.wait_at_commit();
    create constraint trigger slow_changes after insert on reprise.changes
      deferrable initially deferred for each row when (new.id = 'slow')
      execute function reprise.wait_at_commit();
  `)
})

afterAll(async () => {
  await Promise.all([store.close(), other.close()])
  await database.drop()
})

const event = (json: string) => [{ at: 1, type: 'text', json: JSON.stringify(json) }]

/** Waits until the database says that so many connections wait for a lock, or until the work is done. */
async function waiting(count: number, work: Promise<unknown>): Promise<void> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  void work.then(end, end)
  while (!isOver) {
    const rows = await database.run(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (Number(rows[0]?.count) >= count) return
  }
}

test('I10 a late commit is not skipped by a reader of the feed', async () => {
  const slow = await started(store)
  const fast = await started(store)
  const before = await store.lastPosition()
  await database.run('select pg_advisory_lock(42)')
  const late = store.appendEvents(slow.lease, slow.run.id, event('slow'))
  await waiting(1, late)
  const early = other.appendEvents(fast.lease, fast.run.id, event('fast'))
  // Either the second writer waits for the first one, or it has committed: both must be right for a reader.
  await waiting(2, early)
  const seen = [...(await store.feed(before, 10))]
  const position = seen.at(-1)?.position ?? before
  expect(await store.changedRuns(position)).toEqual([])
  await database.run('select pg_advisory_unlock(42)')
  await Promise.all([late, early])
  seen.push(...(await store.feed(position, 10)))
  expect(seen.map(({ json }) => json).sort()).toEqual(['"fast"', '"slow"'])
})

test('I10 a late commit is not skipped by a reader of changes', async () => {
  const before = await store.lastChange()
  await database.run('select pg_advisory_lock(42)')
  const late = store.createThread(sampleThread({ id: 'slow' }), [])
  await waiting(1, late)
  const early = other.createThread(sampleThread({ id: 'fast' }), [])
  await waiting(2, early)
  const seen = [...(await store.changes(before, 10))]
  const position = seen.at(-1)?.position ?? before
  await database.run('select pg_advisory_unlock(42)')
  await Promise.all([late, early])
  seen.push(...(await store.changes(position, 10)))
  expect(seen.map(({ id }) => id).sort()).toEqual(['fast', 'slow'])
})

test('I10 U-6 a follower over HTTP gets both events when the one that was written first is committed last', async () => {
  const slow = await started(store)
  const fast = await started(store)
  const world = await httpWorld({ store: postgres(database.url) })
  const after = await store.lastPosition()
  const response = await world.request('GET', `/api/events?after=${after}`, {
    headers: { accept: 'text/event-stream' },
  })
  const frames = readEvents(response)
  const next = frames.next()
  await database.run('select pg_advisory_lock(42)')
  const json = (text: string) => [
    { at: 1, type: 'text', json: JSON.stringify({ type: 'text', text }) },
  ]
  const late = store.appendEvents(slow.lease, slow.run.id, json('late'))
  await waiting(1, late)
  const early = other.appendEvents(fast.lease, fast.run.id, json('early'))
  await waiting(2, early)
  await database.run('select pg_advisory_unlock(42)')
  await Promise.all([late, early])
  const texts: string[] = []
  // What else is in the feed may come before these events or after them: no frame after the second text is waited for.
  for (let frame = await next; ; frame = await frames.next()) {
    if (frame.value?.data.text !== undefined) texts.push(frame.value.data.text)
    if (texts.length === 2) break
  }
  expect(texts.sort()).toEqual(['early', 'late'])
  await frames.return()
  await world.reprise.close()
})
