// Work to be handed out: taken by one conditional update, fenced by the number of its delivery.
import { type Selectable, sql } from 'kysely'
import { RepriseError } from '../errors.ts'
import { type Sql, write } from './dialect.ts'
import { now as databaseNow } from './leases.ts'
import { ownerOf, ownerText } from './rows.ts'
import type { DispatchesTable } from './schema.ts'
import type { Delivered, NewWork, WorkEnd, WorkVerbs } from './work.ts'

type Row = Selectable<DispatchesTable>

const MAX_ERROR_CHARS = 1_000

export function dispatchVerbs(database: Sql): WorkVerbs {
  const { db } = database
  return {
    putWork: (work, now) => write(database, tx => put(tx, work, now)),

    takeWork: taking => write(database, tx => take(tx, taking)),

    beatWork: (work, beatMs) =>
      write(database, async tx => {
        const beaten = await inHands(tx, work)
          .set({ beat_until: (await databaseNow(tx)) + beatMs })
          .returning('cancel_requested')
          .executeTakeFirst()
        if (beaten) return { cancelRequested: beaten.cancel_requested === 1 }
        const what = `${work.id} is no longer in the hands of this process`
        throw new RepriseError('lease-lost', what, 'Another process goes on with it.')
      }),

    endWork: (work, end) => write(database, tx => endWork(tx, work, end)),

    async workInHands(queue) {
      const rows = await db
        .selectFrom('dispatches')
        .selectAll()
        .where('queue', '=', queue)
        .where('state', '=', 'active')
        .execute()
      if (rows.length === 0) return []
      const at = await databaseNow(database)
      return rows.map(row => ({ work: deliveredOf(row), expired: row.beat_until <= at }))
    },

    async nextWorkAt(queue) {
      const next = await db
        .selectFrom('dispatches')
        .select(eb => eb.fn.min('not_before').as('at'))
        .where('queue', '=', queue)
        .where('state', '=', 'created')
        .executeTakeFirst()
      return next?.at ?? null
    },

    cancelWork: (queue, id) => write(database, tx => cancel(tx, queue, id)),

    async deadWork(queue, limit) {
      const rows = await db
        .selectFrom('dispatches')
        .selectAll()
        .where('queue', '=', queue)
        .where('state', '=', 'dead')
        .orderBy('seq')
        .limit(limit)
        .execute()
      return rows.map(({ id, key, error }) => ({ queue, id, key, error: error ?? '' }))
    },
  }
}

export async function put(tx: Sql, work: NewWork, now: number): Promise<'new' | 'known'> {
  const known = await rowOf(tx, work.queue, work.id)
  if (known === undefined) {
    await tx.db
      .insertInto('dispatches')
      .values({
        queue: work.queue,
        id: work.id,
        key: work.key,
        per_key: work.perKey,
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
      })
      .execute()
    return 'new'
  }
  const earliest = (at: number | null) => Math.min(at ?? work.notBefore, work.notBefore)
  const change =
    known.state === 'active'
      ? { again_at: earliest(known.again_at) }
      : known.state === 'dead'
        ? { state: 'created', not_before: work.notBefore, failures: 0, error: null }
        : { not_before: earliest(known.not_before) }
  await tx.db.updateTable('dispatches').set(change).where('seq', '=', known.seq).execute()
  return 'known'
}

/** Under the write lock, so looking and taking are one step. */
async function take(
  tx: Sql,
  { queue, owner, beatMs, now }: Parameters<WorkVerbs['takeWork']>[0],
): Promise<Delivered | null> {
  const { rows } = await sql<Row>`
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
  `.execute(tx.db)
  const row = rows[0]
  return row === undefined ? null : deliveredOf(row)
}

function inHands(tx: Sql, { queue, id, delivery }: Delivered) {
  return tx.db
    .updateTable('dispatches')
    .where('queue', '=', queue)
    .where('id', '=', id)
    .where('delivery', '=', delivery)
    .where('state', '=', 'active')
}

async function endWork(tx: Sql, work: Delivered, end: WorkEnd): Promise<boolean> {
  const row = await rowOf(tx, work.queue, work.id)
  if (row?.state !== 'active' || row.delivery !== work.delivery) return false
  const wanted = end.next === 'again' ? end.at : end.next === 'failed' ? end.retryAt : null
  const times = [wanted, row.again_at].filter(at => at !== null)
  if (times.length === 0) {
    await tx.db.deleteFrom('dispatches').where('seq', '=', row.seq).execute()
    return true
  }
  const failures = end.next === 'failed' ? row.failures + 1 : 0
  const isDead = end.next === 'failed' && failures > row.retry_limit
  await inHands(tx, work)
    .set({
      state: isDead ? 'dead' : 'created',
      not_before: Math.min(...times),
      again_at: null,
      owner: null,
      beat_until: 0,
      failures,
      error: end.next === 'failed' ? end.error.slice(0, MAX_ERROR_CHARS) : null,
    })
    .execute()
  return true
}

async function cancel(tx: Sql, queue: string, id: string): Promise<'gone' | 'told' | 'unknown'> {
  const row = await rowOf(tx, queue, id)
  if (row === undefined) return 'unknown'
  if (row.state !== 'active') {
    await tx.db.deleteFrom('dispatches').where('seq', '=', row.seq).execute()
    return 'gone'
  }
  await tx.db
    .updateTable('dispatches')
    .set({ cancel_requested: 1 })
    .where('seq', '=', row.seq)
    .execute()
  return 'told'
}

function rowOf(tx: Sql, queue: string, id: string): Promise<Row | undefined> {
  return tx.db
    .selectFrom('dispatches')
    .selectAll()
    .where('queue', '=', queue)
    .where('id', '=', id)
    .executeTakeFirst()
}

function deliveredOf({ queue, id, key, delivery, failures, owner }: Row): Delivered {
  return { queue, id, key, delivery, failures, owner: ownerOf(owner ?? '["",0,""]') }
}
