// Work for the engine: a worker takes it by one conditional update. Every delivery has a number, and a worker whose number is no
// longer the latest can change nothing.
import { RepriseError } from '../../../errors.ts'
import type { Delivered, NewWork, WorkEnd, WorkVerbs } from '../../contract/work.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { lockName } from '../../sql/locks.ts'
import { assignments, type Changes, firstOf, insertRows, rowsOf } from '../../sql/plain-sql.ts'
import { ownerOf, ownerText } from '../../sql/rows.ts'
import { join, type Statement, sql } from '../../sql/statement.ts'
import type { DispatchRow } from '../../sql/work-rows.ts'
import { now as databaseNow } from '../runs/leases.ts'

const MAX_ERROR_CHARS = 1_000
const IDS_PER_PAGE = 500

export function dispatchVerbs(database: Database): WorkVerbs {
  return {
    enqueueWork: (work, now) => write(database, tx => enqueue(tx, work, now)),

    dequeueWork: taking => write(database, tx => dequeue(tx, taking)),

    beatWork: (work, beatMs) =>
      write(database, async tx => {
        const beaten = await firstOf(
          tx,
          sql<{ cancel_requested: number }>`
            update dispatches
            set beat_until = ${tx.dialect.now} + ${beatMs}
            where ${inHands(work)}
            returning cancel_requested
          `,
        )
        if (beaten) return { cancelRequested: beaten.cancel_requested === 1 }
        const what = `${work.id} is no longer in the hands of this process`
        throw new RepriseError(
          'lease-lost',
          what,
          'Another process goes on with it: run `reprise jobs` to see how.',
        )
      }),

    endWork: (work, end) => write(database, tx => endWork(tx, work, end)),

    async workInHands(queue) {
      const rows = await rowsOf(database, rowsIn(queue, 'active'))
      if (rows.length === 0) return []
      const at = await databaseNow(database)
      return rows.map(row => ({ work: deliveredOf(row), expired: row.beat_until <= at }))
    },

    async nextWorkAt(queue, lanes) {
      const next = await firstOf(
        database,
        sql<{ at: number | null }>`
          select min(not_before) as at
          from dispatches
          where queue = ${queue}
          and state = 'created'
          ${inLanes(lanes)}
        `,
      )
      return next?.at ?? null
    },

    waitingLanes: queue => lanesIn(database, queue),

    cancelWork: (queue, id) => write(database, tx => cancel(tx, queue, id)),

    async deadWork(queue, limit) {
      const rows = await rowsOf(database, sql<DispatchRow>`${rowsIn(queue, 'dead')} limit ${limit}`)
      return rows.map(({ id, key, error }) => ({ queue, id, key, error: error ?? '' }))
    },

    liveWork: (queue, ids) => liveIn(database, queue, ids),

    async failedWork(queue, id) {
      const row = await rowOf(database, queue, id)
      if (row?.state !== 'created' || row.failures === 0) return null
      return { id, failures: row.failures, error: row.error ?? '', at: row.not_before }
    },
  }
}

function rowsIn(queue: string, state: 'active' | 'dead'): Statement<DispatchRow> {
  return sql`
    select *
    from dispatches
    where queue = ${queue}
    and state = ${state}
    order by seq
  `
}

function inLanes(lanes: readonly string[] | undefined): Statement {
  if (lanes === undefined) return sql``
  return lanes.length === 0 ? sql`and false` : sql`and lane in (${join(lanes)})`
}

/** Jumps from lane to lane in the index instead of reading all that waits. */
async function lanesIn(tx: Sql, queue: string): Promise<readonly string[]> {
  const rows = await rowsOf(
    tx,
    sql<{ lane: string }>`
      with recursive lanes (lane) as (
        select min(lane)
        from dispatches
        where queue = ${queue}
        and state = 'created'
        union all
        select (
          select min(later.lane)
          from dispatches as later
          where later.queue = ${queue}
          and later.state = 'created'
          and later.lane > lanes.lane
        )
        from lanes
        where lanes.lane is not null
      )
      select lane
      from lanes
      where lane is not null
    `,
  )
  return rows.map(({ lane }) => lane)
}

/** Reads in pages, because a statement takes a limited number of values. */
async function liveIn(tx: Sql, queue: string, ids: readonly string[]): Promise<readonly string[]> {
  const live: string[] = []
  for (let start = 0; start < ids.length; start += IDS_PER_PAGE) {
    const rows = await rowsOf(
      tx,
      sql<{ id: string }>`
        select id
        from dispatches
        where queue = ${queue}
        and state <> 'dead'
        and id in (${join(ids.slice(start, start + IDS_PER_PAGE))})
      `,
    )
    live.push(...rows.map(({ id }) => id))
  }
  return live
}

export async function enqueue(tx: Sql, work: NewWork, now: number): Promise<'new' | 'known'> {
  await lockName(tx, `work:${work.queue}`)
  const known = await rowOf(tx, work.queue, work.id)
  if (known === undefined) {
    await insertRows(tx, { table: 'dispatches' }, [
      {
        queue: work.queue,
        id: work.id,
        key: work.key,
        per_key: work.perKey,
        lane: work.lane,
        priority: work.priority,
        state: 'created',
        not_before: work.notBefore,
        again_at: null,
        delivery: 0,
        failures: 0,
        retry_limit: work.retryLimit,
        owner: null,
        beat_until: 0,
        cancel_requested: 0,
        error: null,
        created_at: now,
      },
    ])
    return 'new'
  }
  const earliest = (at: number | null) => Math.min(at ?? work.notBefore, work.notBefore)
  const change =
    known.state === 'active'
      ? { again_at: earliest(known.again_at) }
      : known.state === 'dead'
        ? { state: 'created', not_before: work.notBefore, failures: 0, error: null }
        : { not_before: earliest(known.not_before) }
  await changeDispatch(tx, known, { ...change, lane: work.lane })
  return 'known'
}

/** The queue is locked, so nobody comes between counting the active work of a key and taking more. */
async function dequeue(
  tx: Sql,
  { queue, owner, beatMs, now, lanes }: Parameters<WorkVerbs['dequeueWork']>[0],
): Promise<Delivered | null> {
  await lockName(tx, `work:${queue}`)
  const row = await firstOf(
    tx,
    sql<DispatchRow>`
      update dispatches
      set
        state = 'active',
        delivery = delivery + 1,
        owner = ${ownerText(owner)},
        beat_until = ${(await databaseNow(tx)) + beatMs},
        again_at = null,
        cancel_requested = 0
      where seq = (
        select due.seq
        from dispatches as due
        where due.queue = ${queue}
        and due.state = 'created'
        and due.not_before <= ${now}
        ${inLanes(lanes)}
        and (
          due.key is null
          or (
            select count(*)
            from dispatches as out
            where out.queue = due.queue
            and out.key = due.key
            and out.state = 'active'
          ) < due.per_key
        )
        order by due.priority desc, due.seq
        limit 1
      )
      returning *
    `,
  )
  return row === undefined ? null : deliveredOf(row)
}

function inHands({ queue, id, delivery }: Delivered): Statement {
  return sql`queue = ${queue} and id = ${id} and delivery = ${delivery} and state = 'active'`
}

async function changeDispatch(
  tx: Sql,
  { seq }: Pick<DispatchRow, 'seq'>,
  change: Changes<'dispatches'>,
): Promise<void> {
  await tx.execute(sql`
    update dispatches
    set ${assignments(change)}
    where seq = ${seq}
  `)
}

async function forget(tx: Sql, { seq }: Pick<DispatchRow, 'seq'>): Promise<void> {
  await tx.execute(sql`delete from dispatches where seq = ${seq}`)
}

async function endWork(tx: Sql, work: Delivered, end: WorkEnd): Promise<boolean> {
  const row = await rowOf(tx, work.queue, work.id)
  if (row?.state !== 'active' || row.delivery !== work.delivery) return false
  const wanted = end.next === 'again' ? end.at : end.next === 'failed' ? end.retryAt : null
  const times = [wanted, row.again_at].filter(at => at !== null)
  if (times.length === 0) {
    await forget(tx, row)
    return true
  }
  const failures = end.next === 'failed' ? row.failures + 1 : 0
  const isDead = end.next === 'failed' && failures > row.retry_limit
  await changeDispatch(tx, row, {
    state: isDead ? 'dead' : 'created',
    not_before: Math.min(...times),
    again_at: null,
    owner: null,
    beat_until: 0,
    failures,
    error: end.next === 'failed' ? end.error.slice(0, MAX_ERROR_CHARS) : null,
  })
  return true
}

export async function cancel(
  tx: Sql,
  queue: string,
  id: string,
): Promise<'gone' | 'requested' | 'unknown'> {
  const row = await rowOf(tx, queue, id)
  if (row === undefined) return 'unknown'
  if (row.state !== 'active') {
    await forget(tx, row)
    return 'gone'
  }
  await changeDispatch(tx, row, { cancel_requested: 1 })
  return 'requested'
}

/** Reads and locks the row for a write. */
function rowOf(tx: Sql, queue: string, id: string): Promise<DispatchRow | undefined> {
  return firstOf(
    tx,
    sql<DispatchRow>`
      select *
      from dispatches
      where queue = ${queue}
      and id = ${id}
      ${tx.dialect.lockRows}
    `,
  )
}

function deliveredOf({ queue, id, key, delivery, failures, owner }: DispatchRow): Delivered {
  return { queue, id, key, delivery, failures, owner: ownerOf(owner ?? '["",0,""]') }
}
