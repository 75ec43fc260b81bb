// What we ask of the tables of pg-boss ourselves, because it has no verb for it: lanes, hard limits per key, one piece of work per
// id, and what happens to work that a worker has. Everything else goes through pg-boss.
//
// A piece of work is one row: `singleton_key` is its id, and the policy `exclusive` allows one row that waits or is out. The uuid
// of the row and `retry_count` fence a delivery: every time the row is handed out, the count grows or the uuid is another one.

export const WORK_SCHEMA = 'reprise_work'
/** Our queues have no partitions of their own. */
const TABLE = `${WORK_SCHEMA}.job_common`
const NOW = `${WORK_SCHEMA}.job_now()`
/** Rounded up: what is due at that time is due in any case. */
const milliseconds = (column: string) => `ceil(extract(epoch from ${column}) * 1000)::bigint`

/** What we keep in the field `data` of a row. */
export type WorkData = {
  readonly lane: string
  /** As JSON: a text of JSON holds every string, also those that a `jsonb` refuses. */
  readonly key: string | null
  readonly perKey: number
  readonly retryLimit: number
}

/** Beside those of pg-boss, which it makes itself. */
export const INDEXES: readonly string[] = [
  `create index if not exists reprise_waiting
  on ${TABLE} (name, (data ->> 'lane'), start_after)
  where state < 'active' and not blocked`,
  `create index if not exists reprise_out
  on ${TABLE} (name, (data ->> 'key'))
  where state = 'active'`,
  `create index if not exists reprise_dead
  on ${TABLE} (name, singleton_key)
  where state = 'failed'`,
]

/** Live work of an id, by the index of the policy. */
const LIVE = `name = $1
  and coalesce(singleton_key, '') = $2
  and state <= 'active'
  and policy = 'exclusive'`

/** A delivery that is still the latest one. */
const IN_HANDS = `name = $1
  and id = $2::uuid
  and retry_count = $3::int
  and state = 'active'`

/** The latest delivery of a row, as `boss-work.ts` writes it. */
const FENCE = `id::text || ':' || retry_count::text`

/** Several deliveries: their queues, their rows and their fences. */
const ALL_IN_HANDS = `name = any ($1::text[])
  and id = any ($2::uuid[])
  and ${FENCE} = any ($3::text[])
  and state = 'active'`

const WAITING = `name = $1
  and state < 'active'
  and not blocked`

/** Forgets dead work of the id, and gives the live one. One row in any case. */
export const FIND = `
  with forgotten as (
    delete from ${TABLE}
    where name = $1
    and singleton_key = $2
    and state = 'failed'
    returning 1
  )
  select
    (select count(*) from forgotten) as forgotten,
    live.id,
    live.state::text,
    ${milliseconds('live.start_after')} as "startAfter"
  from (select 1) as one
  left join ${TABLE} as live
  on live.name = $1
  and coalesce(live.singleton_key, '') = $2
  and live.state <= 'active'
  and live.policy = 'exclusive'
`

export const HAND_OUT_AGAIN = `
  update ${TABLE}
  set data = data || jsonb_build_object(
    'again', least((data ->> 'again')::bigint, $3::bigint),
    'lane', $4::text
  )
  where ${LIVE}
  and state = 'active'
  returning 1
`

/**
 * Takes work without a key in any case (`$5` false): if work with a key is among what is due first, it takes nothing and says so.
 * With `$5` true the caller has locked the queue, so nobody comes between counting what is out for a key and taking more; of several
 * pieces with one key, only so many are taken as the key still allows. One row in any case.
 */
export const TAKE = `
  with due as (
    select
      id,
      priority,
      created_on,
      data ->> 'key' as key,
      (data ->> 'perKey')::int as per_key,
      (
        select count(*)
        from ${TABLE} as other
        where other.name = $1
        and other.state = 'active'
        and other.data ->> 'key' = waiting.data ->> 'key'
      ) as out
    from ${TABLE} as waiting
    where ${WAITING}
    and start_after <= ${NOW}
    and ($2::text[] is null or data ->> 'lane' = any ($2::text[]))
    and (
      data ->> 'key' is null
      or (
        select count(*)
        from ${TABLE} as other
        where other.name = $1
        and other.state = 'active'
        and other.data ->> 'key' = waiting.data ->> 'key'
      ) < (data ->> 'perKey')::int
    )
    order by priority desc, created_on, id
    limit $3::int
    for update of waiting skip locked
  ),
  ranked as (
    select *, row_number() over (partition by key order by priority desc, created_on, id) as place
    from due
  ),
  taken as (
    update ${TABLE} as job
    set
      state = 'active',
      started_on = ${NOW},
      heartbeat_on = ${NOW},
      retry_count = job.retry_count + case when job.started_on is null then 0 else 1 end,
      data = job.data - 'again' - 'cancel' || jsonb_build_object('owner', $4::jsonb)
    from ranked
    where job.name = $1
    and job.id = ranked.id
    and (ranked.key is null or ranked.out + ranked.place <= ranked.per_key)
    and ($5::boolean or not exists (select 1 from due where due.key is not null))
    returning job.*
  )
  select
    exists (select 1 from due where due.key is not null) as keyed,
    ${columns('taken')}
  from (select 1) as one
  left join taken on true
  order by taken.priority desc, taken.created_on, taken.id
`

/** The columns of a delivery. */
function columns(table: string): string {
  return `${table}.id as handle,
    ${table}.singleton_key as id,
    ${table}.data ->> 'key' as key,
    ${table}.retry_count as delivery,
    ${table}.retry_count - coalesce((${table}.data ->> 'base')::int, 0) as failures,
    ${table}.data -> 'owner' as owner`
}

export const BEAT = `
  update ${TABLE}
  set heartbeat_on = ${NOW}
  where ${ALL_IN_HANDS}
  returning ${FENCE} as fence, data ? 'cancel' as "cancelRequested"
`

/** Work that was dispatched again meanwhile stays. */
export const FINISH = `
  delete from ${TABLE}
  where ${ALL_IN_HANDS}
  and not data ? 'again'
  returning ${FENCE} as fence
`

/**
 * Waits again, until the time that the worker or a dispatch asked for. It is a new row to pg-boss, because pg-boss counts the pause
 * after a failure, and the limit of failures, from `retry_count`: work that was often handed out has not failed.
 */
export const WAIT_AGAIN = `
  update ${TABLE}
  set
    id = gen_random_uuid(),
    state = 'created',
    start_after = to_timestamp(least($4::bigint, (data ->> 'again')::bigint) / 1000.0),
    started_on = null,
    heartbeat_on = null,
    output = null,
    retry_count = 0,
    retry_limit = (data ->> 'retryLimit')::int,
    data = data - 'again' - 'cancel' - 'base'
  where ${IN_HANDS}
  returning 1
`

export const OUT = `
  select
    ${columns('job')},
    heartbeat_on + heartbeat_seconds * interval '1s' < ${NOW} as expired
  from ${TABLE} as job
  where name = $1
  and state = 'active'
  order by created_on, id
`

export const NEXT_AT = `
  select ${milliseconds('min(soonest.start_after)')} as at
  from unnest($2::text[]) as wanted (lane)
  cross join lateral (
    select start_after
    from ${TABLE}
    where ${WAITING}
    and data ->> 'lane' = wanted.lane
    order by start_after
    limit 1
  ) as soonest
`

/** Jumps from lane to lane in the index. */
export const LANES = `
  with recursive lanes (lane) as (
    select min(data ->> 'lane')
    from ${TABLE}
    where ${WAITING}
    union all
    select (
      select min(data ->> 'lane')
      from ${TABLE}
      where ${WAITING}
      and data ->> 'lane' > lanes.lane
    )
    from lanes
    where lanes.lane is not null
  )
  select lane
  from lanes
  where lane is not null
`

export const FORGET = `
  delete from ${TABLE}
  where name = $1
  and (
    (singleton_key = $2 and state = 'failed')
    or (coalesce(singleton_key, '') = $2 and state < 'active' and policy = 'exclusive')
  )
  returning 1
`

export const ASK_TO_STOP = `
  update ${TABLE}
  set data = data || '{"cancel": true}'
  where ${LIVE}
  and state = 'active'
  returning 1
`

export const DEAD_WORK = `
  select
    singleton_key as id,
    data ->> 'key' as key,
    coalesce(output ->> 'message', output -> 'value' ->> 'message', '') as error
  from ${TABLE}
  where name = $1
  and state = 'failed'
  order by completed_on, id
  limit $2::int
`

/** pg-boss counts from 0 while the first delivery is out. */
export const FAILED_WORK = `
  select
    singleton_key as id,
    retry_count - coalesce((data ->> 'base')::int, 0) + 1 as failures,
    coalesce(output ->> 'message', output -> 'value' ->> 'message', '') as error,
    ${milliseconds('start_after')} as at
  from ${TABLE}
  where ${LIVE}
  and state = 'retry'
`

export const HAVING = `
  select singleton_key as id
  from ${TABLE}
  where name = $1
  and coalesce(singleton_key, '') = any ($2::text[])
  and state <= 'active'
  and policy = 'exclusive'
`

/** Held until the transaction ends. */
export const LOCK_QUEUE = `select pg_advisory_xact_lock(hashtextextended('reprise_work:' || $1, 0))`
