import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { sampleTurn } from '../../testing/store-conformance/samples.ts'
import { sqlStore } from '../sql-store.ts'
import { sqliteDatabase } from '../sqlite/sqlite-connection.ts'
import { tables } from './migrations/001-tables.ts'
import { MIGRATIONS, migrate } from './migrations.ts'

/** A store as version 1 left it, with two runs whose events came in turns. */
async function firstVersion() {
  const database = new Database(':memory:')
  database.pragma('foreign_keys = on')
  const db = sqliteDatabase(database, 1_000)
  await migrate(db, [tables])
  database.exec(`
    insert into threads values ('thr_1', null, 'claude-code', '/', 'all', null, 'thr_1', 1, 1);
    insert into branches values ('thr_1', 'thr_1', 1);
  `)
  for (const id of ['run_b', 'run_a']) {
    database.exec(`
      insert into runs (id, place, agent, status, thread_id, attempt, work_dir, permission_mode,
        allowed_tools, disallowed_tools, fresh_session, owner, queued_at, ended_at, decision)
      values ('${id}', 1, 'claude-code', 'completed', 'thr_1', 1, '/', 'default',
        '[]', '[]', 0, '["here",1,"1"]', 1, 2, '{"action":"start"}')
    `)
  }
  // Times that go back, as a clock that was set does: the order of a run is that of its numbers.
  for (const [run, seq, at] of [
    ['run_a', 1, 9],
    ['run_b', 1, 8],
    ['run_b', 2, 7],
    ['run_a', 2, 6],
  ]) {
    database
      .prepare(`insert into events (run_id, seq, at, type, json) values (?, ?, ?, 'text', '{}')`)
      .run(run, seq, at)
  }
  return { database, db, store: sqlStore(db) }
}

test('I13 a new store is made as a whole or not at all; an older one keeps the steps before the one that failed', async () => {
  const failing = [...MIGRATIONS.slice(0, 2), () => ['this is no statement']]
  const empty = new Database(':memory:')
  await expect(migrate(sqliteDatabase(empty, 1_000), failing)).rejects.toThrow()
  expect(versionOf(empty)).toBe(0)
  expect(empty.prepare('select name from sqlite_master').all()).toEqual([])
  const { database, db, store } = await firstVersion()
  await expect(migrate(db, failing)).rejects.toThrow()
  expect(versionOf(database)).toBe(2)
  await migrate(db)
  expect(versionOf(database)).toBe(MIGRATIONS.length)
  await store.close()
})

const versionOf = (database: Database.Database) => database.pragma('user_version', { simple: true })

test('I13 version 2 keeps every event, in the order of its run, and gives each a position', async () => {
  const { db, store } = await firstVersion()
  await migrate(db)
  const feed = await store.feed(0, 10)
  expect(feed.map(({ runId, seq }) => `${runId} ${seq}`)).toEqual([
    'run_b 1',
    'run_b 2',
    'run_a 1',
    'run_a 2',
  ])
  expect(feed.map(({ position }) => position)).toEqual([1, 2, 3, 4])
  expect(feed.map(({ at }) => at)).toEqual([8, 7, 9, 6])
  expect(await store.countRuns()).toEqual([{ status: 'completed', action: 'start', runs: 2 }])
  expect((await store.verify()).filter(({ rule }) => rule === 'structure')).toEqual([])
  expect(await store.removeThread('thr_1')).toBe(true)
  expect(await store.feed(0, 10)).toEqual([])
  await store.close()
})

test('I13 J-7 version 7 keeps what comes again in even steps', async () => {
  const { database, db, store } = await firstVersion()
  await migrate(db, MIGRATIONS.slice(0, 6))
  database.exec(`
    insert into jobs (id, thread_id, status, prompt, agent, work_dir, permission_mode, allowed_tools,
      disallowed_tools, policy, checkpoints, priority, next_how, attempts_from, every_ms,
      cancel_requested, created_at, next_attempt_at)
    values ('job_1', 'thr_1', 'queued', 'p', 'claude-code', '/', 'default', '[]',
      '[]', '{}', 'auto', 0, 'resume', 0, 60000, 0, 5, 9);
    insert into schedules (id, policy_name, request, every_ms, next_at, skipped, created_at)
    values ('sch_1', 'ops', '{}', 1000, 7, 0, 1);
  `)
  await migrate(db)
  expect(await store.job('job_1')).toMatchObject({ schedule: { everyMs: 60_000 }, dueAt: 9 })
  expect(await store.schedules()).toMatchObject([{ recurrence: { everyMs: 1_000 }, nextAt: 7 }])
  await store.close()
})

test('I13 version 9 keeps branches, what sessions have seen, and the tokens of leases', async () => {
  const { database, db, store } = await firstVersion()
  await migrate(db, MIGRATIONS.slice(0, 8))
  database.exec(`
    insert into messages (id, thread_id, role, text, tools, interrupted, hash, created_at)
    values ('msg_b', 'thr_1', 'user', 'one', '[]', 0, 'h1', 1), ('msg_a', 'thr_1', 'user', 'two', '[]', 0, 'h2', 2);
    insert into branch_entries values ('thr_1', 0, 'msg_b'), ('thr_1', 1, 'msg_a');
    insert into sessions (id, session_id, thread_id, agent, pointer, state, work_dir, model, runtime, reported_cost_usd,
      fruitless_resumes, failed_resumes, created_at, last_message_at, turn_count, input_tokens, output_tokens)
    values ('ses_1', 's', 'thr_1', 'claude-code', 'confirmed', 'active', '/', 'm', 'r', 0, 0, 0, 1, 1, 1, 0, 0);
    insert into session_seen values ('ses_1', 1, 'h2', 'anchor', 1), ('ses_1', 0, 'h1', null, 0);
    insert into leases values ('thread:thr_1', 41, null, null, 0);
  `)
  await migrate(db)
  expect((await store.branch('thr_1')).map(({ text }) => text)).toEqual(['one', 'two'])
  expect((await store.session('ses_1'))?.seen).toEqual([
    { hash: 'h1', anchor: null, isPart: false },
    { hash: 'h2', anchor: 'anchor', isPart: true },
  ])
  const { run, lease } = await store.submitAndClaim(sampleTurn('thr_1'), 5, 1_000)
  expect(lease?.token).toBe(42)
  expect((await store.verify()).filter(({ rule }) => rule === 'structure')).toEqual([])
  expect(run.status).toBe('queued')
  await store.close()
})

test('I13 T-8 version 12 gives a thread the instructions of its latest run', async () => {
  const { database, db, store } = await firstVersion()
  database.exec("update runs set instructions = 'older' where id = 'run_b'")
  database.exec("update runs set instructions = 'newer' where id = 'run_a'")
  await migrate(db)
  expect((await store.thread('thr_1'))?.instructions).toBe('newer')
  await store.close()
})

test('I13 version 14 keeps what recovery needs of the runs that are going', async () => {
  const { database, db, store } = await firstVersion()
  database.exec("update runs set status = 'running' where id = 'run_a'")
  const mark = { path: '/sessions/1.jsonl', sizeBytes: 12, costUsd: 0.5 }
  const started = JSON.stringify({ type: 'started', runId: 'run_a', mark, answerTo: 'toolu_1' })
  database.exec(
    `update events set type = 'started', json = '${started}' where run_id = 'run_a' and seq = 1`,
  )
  await migrate(db)
  expect(await store.startOf('run_a')).toEqual({ mark, answerTo: 'toolu_1' })
  expect(await store.startOf('run_b')).toBeNull()
  await store.close()
})

test('I13 T-7a E-2 version 15 finds the message that tells an answer again, and counts asked verdicts', async () => {
  const { database, db, store } = await firstVersion()
  await migrate(db, MIGRATIONS.slice(0, 14))
  database.exec(`
    insert into messages (id, thread_id, role, text, tools, interrupted, hash, run_id, created_at)
    values ('msg_prompt', 'thr_1', 'user', 'prompt', '[]', 0, 'h0', 'run_a', 1),
      ('msg_again', 'thr_1', 'user', 'You may.', '[]', 0, 'h1', 'run_a', 5);
    update runs set prompt_message_id = 'msg_prompt' where id = 'run_a';
    insert into questions (run_id, tool_use_id, kind, tool, input, items, state, delivery, answer, asked_at, expires_at, closed_at)
    values ('run_a', 'toolu_told', 'permission', 'Bash', '{}', '[]', 'answered', 'restated', '{"kind":"allow"}', 2, 9, 4),
      ('run_a', 'toolu_later', 'permission', 'Bash', '{}', '[]', 'answered', 'restated', '{"kind":"allow"}', 2, 9, 6),
      ('run_a', 'toolu_done', 'permission', 'Bash', '{}', '[]', 'answered', 'live', '{"kind":"allow"}', 2, 9, 3);
    update runs set chain_step = '{"kind":"ask-verdict","tier":1}' where id = 'run_b';
  `)
  await migrate(db)
  const restated = await store.questions({ runId: 'run_a', restatedIn: 'h1', limit: 10 })
  expect(restated.map(({ toolUseId }) => toolUseId)).toEqual(['toolu_told'])
  expect(await store.questions({ runId: 'run_a', restatedIn: 'h0', limit: 10 })).toEqual([])
  const kinds = database.prepare('select id, chain_step_kind as kind from runs order by id').all()
  expect(kinds).toEqual([
    { id: 'run_a', kind: null },
    { id: 'run_b', kind: 'ask-verdict' },
  ])
  await store.close()
})

test('I13 version 18 keeps open questions: they can be allowed once', async () => {
  const { database, db, store } = await firstVersion()
  await migrate(db, MIGRATIONS.slice(0, 17))
  database.exec(`
    insert into questions (run_id, tool_use_id, kind, tool, input, items, state, delivery, asked_at, expires_at)
    values ('run_a', 'toolu_1', 'permission', 'Bash', '{}', '[]', 'open', 'restated', 1, 9);
  `)
  await migrate(db)
  const [question] = await store.questions({ limit: 10 })
  expect(question).toMatchObject({ toolUseId: 'toolu_1', state: 'open' })
  expect(question && 'rule' in question).toBe(false)
  await store.close()
})
