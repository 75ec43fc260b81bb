// Work that pg-boss keeps, by the verbs that our consumers know.
import { RepriseError } from '../../errors.ts'
import type { Owner } from '../../store/contract/leases.ts'
import type {
  Delivered,
  FailedWork,
  NewWork,
  RunSql,
  WorkDatabase,
  WorkEnd,
  WorkVerbs,
} from '../../store/contract/work.ts'
import { askTogether } from './ask-together.ts'
import { type Boss, connectionOf } from './open-boss.ts'
import {
  ASK_TO_STOP,
  BEAT,
  DEAD_WORK,
  FAILED_WORK,
  FIND,
  FINISH,
  FORGET,
  HAND_OUT_AGAIN,
  HAVING,
  LANES,
  LOCK_QUEUE,
  NEXT_AT,
  OUT,
  TAKE,
  WAIT_AGAIN,
  type WorkData,
} from './statements.ts'

const MAX_ERROR_CHARS = 1_000
/** How often a verb looks again because other processes changed the same work meanwhile. */
const MAX_TRIES = 100

export function bossWork(database: WorkDatabase, boss: Boss): WorkVerbs {
  const { run, transaction } = database
  const dequeueMany: NonNullable<WorkVerbs['dequeueMany']> = async taking => {
    await boss.ready(taking.queue)
    const { taken, keyed } = await take(run, taking, 'unlocked')
    // Limits per key hold over all machines, so a worker locks the queue before it takes work with a key.
    if (!keyed) return taken
    return transaction(async inside => {
      await inside(LOCK_QUEUE, [taking.queue])
      return (await take(inside, taking, 'locked')).taken
    })
  }
  // A worker beats for all that it has at once, and what ends in the same moment is one statement.
  const beat = askTogether((works: readonly Delivered[]) => beatAll(run, works))
  const finish = askTogether((works: readonly Delivered[]) => finishAll(run, works))
  return {
    // Needs no transaction: each statement checks and acts at once, and a process that dies between two of them has promised nothing.
    enqueueWork: (work, now) => enqueueIn({ run, boss }, work, now),
    cancelWork: (queue, id) => transaction(inside => cancelIn(inside, queue, id)),
    dequeueMany,
    dequeueWork: async taking => (await dequeueMany({ ...taking, most: 1 }))[0] ?? null,

    async beatWork(work) {
      const beaten = await beat(work)
      if (beaten.isOurs) return beaten
      throw new RepriseError(
        'lease-lost',
        `${work.id} is no longer in the hands of this process`,
        'Another process goes on with it: run `reprise jobs` to see how.',
      )
    },

    endWork: (work, end) => endWork({ run, boss, finish }, work, end),

    async workInHands(queue) {
      const rows = await run<DeliveryRow & { expired: boolean }>(OUT, [queue])
      return rows.map(({ expired, ...row }) => ({ work: deliveredOf(queue, row), expired }))
    },

    async nextWorkAt(queue, lanes) {
      const wanted = lanes ?? (await lanesIn(run, queue))
      const [next] = await run<{ at: number | null }>(NEXT_AT, [queue, wanted])
      return next?.at ?? null
    },

    waitingLanes: queue => lanesIn(run, queue),

    async deadWork(queue, limit) {
      const rows = await run<{ id: string; key: string | null; error: string }>(DEAD_WORK, [
        queue,
        limit,
      ])
      return rows.map(({ id, key, error }) => ({ queue, id, key: keyOf(key), error }))
    },

    failedWork: async (queue, id) => (await run<FailedWork>(FAILED_WORK, [queue, id]))[0] ?? null,

    async liveWork(queue, ids) {
      const rows = await run<{ id: string }>(HAVING, [queue, ids])
      return rows.map(({ id }) => id)
    },
  }
}

type Place = { readonly run: RunSql; readonly boss: Boss }

type Found = {
  readonly forgotten: number
  readonly id: string | null
  readonly state: string | null
  readonly startAfter: number | null
}

/** In an open transaction: of the store's, or of our own. */
export async function enqueueIn(
  { run, boss }: Place,
  work: NewWork,
  now: number,
): Promise<'new' | 'known'> {
  await boss.ready(work.queue)
  if (work.isFresh && (await send({ run, boss }, work, now))) return 'new'
  let wasDead = false
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [found] = await run<Found>(FIND, [work.queue, work.id])
    wasDead ||= (found?.forgotten ?? 0) > 0
    if (found?.id == null) {
      if (await send({ run, boss }, work, now)) return wasDead ? 'known' : 'new'
    } else if (found.state === 'active') {
      const values = [work.queue, work.id, work.notBefore, work.lane]
      if ((await run(HAND_OUT_AGAIN, values)).length > 0) return 'known'
    } else if (await bringForward({ run, boss }, work, found)) return 'known'
  }
  throw alwaysChanged(work.id)
}

/** False: other work of this id came first. */
async function send({ run, boss }: Place, work: NewWork, now: number): Promise<boolean> {
  const { queue, id, priority, notBefore, retryLimit } = work
  const sent = await boss.send(queue, dataOf(work), {
    singletonKey: id,
    priority,
    retryLimit,
    ...(notBefore > now && { startAfter: new Date(notBefore) }),
    db: connectionOf(run),
  })
  return sent !== null
}

/** False: a worker has it by now. */
async function bringForward({ run, boss }: Place, work: NewWork, found: Found): Promise<boolean> {
  const { queue, notBefore } = work
  const { updated } = await boss.update(queue, dataOf(work), {
    id: found.id ?? '',
    ...(notBefore < (found.startAfter ?? 0) && { startAfter: new Date(notBefore) }),
    db: connectionOf(run),
  })
  return updated > 0
}

function dataOf({ lane, key, perKey, retryLimit }: NewWork): WorkData {
  return { lane, key: key === null ? null : JSON.stringify(key), perKey, retryLimit }
}

export async function cancelIn(
  run: RunSql,
  queue: string,
  id: string,
): Promise<'gone' | 'requested' | 'unknown'> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if ((await run(FORGET, [queue, id])).length > 0) return 'gone'
    if ((await run(ASK_TO_STOP, [queue, id])).length > 0) return 'requested'
    if ((await run(HAVING, [queue, [id]])).length === 0) return 'unknown'
  }
  throw alwaysChanged(id)
}

type DeliveryRow = {
  readonly handle: string
  readonly id: string
  readonly key: string | null
  readonly delivery: number
  readonly failures: number
  readonly owner: Owner
}

type TakenRow = { readonly keyed: boolean } & (DeliveryRow | { readonly handle: null })

async function take(
  run: RunSql,
  { queue, lanes, most, owner }: Parameters<NonNullable<WorkVerbs['dequeueMany']>>[0],
  how: 'locked' | 'unlocked',
): Promise<{ readonly taken: readonly Delivered[]; readonly keyed: boolean }> {
  const values = [queue, lanes ?? null, most, JSON.stringify(owner), how === 'locked']
  const rows = await run<TakenRow>(TAKE, values)
  const taken = rows.flatMap(({ keyed: _, ...row }) =>
    row.handle === null ? [] : [deliveredOf(queue, row)],
  )
  return { taken, keyed: rows[0]?.keyed ?? false }
}

function deliveredOf(queue: string, { key, ...row }: DeliveryRow): Delivered {
  return { queue, ...row, key: keyOf(key) }
}

function keyOf(key: string | null): string | null {
  return key === null ? null : String(JSON.parse(key))
}

function fenceOf({ queue, handle, delivery }: Delivered) {
  return [queue, handle, delivery]
}

/** As the database writes the same. A worker that lost work and took it again may have both deliveries. */
const fence = ({ handle, delivery }: Delivered) => `${handle}:${delivery}`

function fencesOf(works: readonly Delivered[]) {
  const queues = new Set(works.map(({ queue }) => queue))
  return [[...queues], works.map(({ handle }) => handle), works.map(fence)]
}

type Beaten = { readonly isOurs: boolean; readonly cancelRequested: boolean }

async function beatAll(run: RunSql, works: readonly Delivered[]): Promise<readonly Beaten[]> {
  const rows = await run<{ fence: string; cancelRequested: boolean }>(BEAT, fencesOf(works))
  const beaten = new Map(rows.map(row => [row.fence, row.cancelRequested]))
  return works.map(work => ({
    isOurs: beaten.has(fence(work)),
    cancelRequested: beaten.get(fence(work)) ?? false,
  }))
}

/** Gives false for work that another worker has, and for work that was dispatched again meanwhile. */
async function finishAll(run: RunSql, works: readonly Delivered[]): Promise<readonly boolean[]> {
  const rows = await run<{ fence: string }>(FINISH, fencesOf(works))
  const finished = new Set(rows.map(row => row.fence))
  return works.map(work => finished.has(fence(work)))
}

type Ending = Place & { finish(work: Delivered): Promise<boolean> }

async function endWork(
  { run, boss, finish }: Ending,
  work: Delivered,
  end: WorkEnd,
): Promise<boolean> {
  if (end.next === 'failed') {
    const attempt = { id: work.handle ?? '', retryCount: work.delivery }
    return hasAffected(await boss.fail(work.queue, attempt, { message: storable(end.error) }))
  }
  if (end.next === 'done' && (await finish(work))) return true
  const at = end.next === 'again' ? end.at : null
  return (await run(WAIT_AGAIN, [...fenceOf(work), at])).length > 0
}

/** The types of pg-boss do not say what is in its response. */
function hasAffected(response: object): boolean {
  return 'affected' in response && Number(response.affected) > 0
}

/** A `jsonb` refuses NUL and lone surrogates. */
function storable(error: string): string {
  return error.slice(0, MAX_ERROR_CHARS).toWellFormed().replaceAll('\0', '\uFFFD')
}

async function lanesIn(run: RunSql, queue: string): Promise<readonly string[]> {
  const rows = await run<{ lane: string }>(LANES, [queue])
  return rows.map(({ lane }) => lane)
}

function alwaysChanged(id: string): RepriseError {
  return new RepriseError(
    'store-unusable',
    `other processes keep changing the work of ${id}`,
    'Run the command again.',
  )
}
