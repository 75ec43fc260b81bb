// What must not be there after test/faults/chaos.test.ts, and what open jobs wait for meanwhile. Both are read from the tables and
// from the ledgers of the agents, not through Reprise.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { OPEN_JOB_STATUSES } from '../../src/core/job/job.ts'
import { runOn } from '../postgres/shared.ts'
import { directoryOfJob, workIn } from './chaos-agent.ts'

/** What hosts and users have been promised. */
export type Promised = {
  /** Runs of acknowledged turns. */
  readonly turns: readonly string[]
  /** Acknowledged jobs. */
  readonly jobs: readonly string[]
  /** How many jobs a user wanted; their prompts are `job 1`, `job 2` … */
  readonly wanted: number
}

export const NOTHING = {
  ...{ lost: [], doubled: [], stuck: [], stale: [] },
  /** Work that no agent did, and work that agents did again. */
  ...{ missing: [], twice: [] },
}

type Findings = Record<keyof typeof NOTHING, readonly string[]>

export async function whatIsWrong(
  database: string,
  shared: string,
  { turns, jobs, wanted }: Promised,
): Promise<Findings> {
  const all = async (query: string) =>
    (await runOn(database, query)).map(row => Object.values(row).join(' '))
  const numbers = Array.from({ length: wanted }, (_, index) => index + 1)
  const known = new Set([
    ...(await all('select id from reprise.runs')),
    ...(await all('select id from reprise.jobs')),
    ...(await all('select prompt from reprise.jobs')),
  ])
  const promised = [...turns, ...jobs, ...numbers.map(number => `job ${number}`)]
  const work = [
    ...numbers.map(number => ({
      what: `job ${number}`,
      times: workIn(join(shared, directoryOfJob(number))).length,
      isDone: true,
    })),
    ...(await workOfTurns(database, shared)),
  ]
  return {
    lost: promised.filter(id => !known.has(id)),
    doubled: [
      ...(await all('select prompt from reprise.jobs group by prompt having count(*) > 1')),
      ...(await all(`select job_id from reprise.runs where status = 'completed'
        and job_id is not null group by job_id having count(*) > 1`)),
    ],
    stuck: [
      ...(await all(`select id, status from reprise.jobs where status <> 'completed'`)),
      ...(await all(`select id from reprise.runs where ${IS_OPEN}`)),
    ],
    // A log ends once, with its end, and has no gaps.
    stale: await all(`select run_id from reprise.events group by run_id
      having count(*) filter (where type = 'ended') <> 1
      or max(seq) filter (where type = 'ended') <> max(seq)
      or count(*) <> max(seq)`),
    missing: work.filter(({ isDone, times }) => isDone && times === 0).map(({ what }) => what),
    twice: work.filter(({ times }) => times > 1).map(({ what }) => what),
  }
}

const OPEN_JOB = OPEN_JOB_STATUSES.map(status => `'${status}'`).join(', ')
const IS_OPEN = `status in ('queued', 'running', 'waiting')`

export async function openRuns(database: string): Promise<readonly unknown[]> {
  const open = `select id from reprise.runs where ${IS_OPEN}`
  return runOn(database, open).catch(() => ['not known'])
}

/** Which of these jobs are over; none while the database is away. */
export async function endedJobs(
  database: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const listed = ids.map(id => `'${id}'`).join(', ')
  const over = `select id from reprise.jobs where id in (${listed}) and status not in (${OPEN_JOB})`
  if (ids.length === 0) return []
  const rows = await runOn(database, over).catch(() => [])
  return rows.map(({ id }) => String(id))
}

/** A completed turn did its work; one that was interrupted may have done it. */
async function workOfTurns(database: string, shared: string) {
  const directories = readdirSync(shared).filter(name => !name.startsWith('job-'))
  const times = new Map<string, number>()
  for (const run of directories.flatMap(name => workIn(join(shared, name)))) {
    times.set(run, (times.get(run) ?? 0) + 1)
  }
  const runs = await runOn(
    database,
    `select id, status, coalesce(process_run_id, id) as marker from reprise.runs
    where job_id is null`,
  )
  return runs.map(({ id, status, marker }) => ({
    what: String(id),
    times: times.get(String(marker)) ?? 0,
    isDone: status === 'completed',
  }))
}

/** For each open job: its attempt, who holds it and for how long, and where its work is. */
export async function whatJobsWaitFor(database: string): Promise<readonly string[]> {
  const rows = await runOn(database, OPEN_JOBS).catch(error => [{ trouble: String(error) }])
  return rows.map(row =>
    Object.entries(row)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  )
}

/** Times are in seconds from now. */
const OPEN_JOBS = `
  with clock as (select extract(epoch from clock_timestamp()) * 1000 as now)
  select
    jobs.prompt as job,
    jobs.status,
    round((jobs.next_attempt_at - now) / 1000) as due,
    last.attempts,
    last.id as run,
    last.status as attempt,
    last.owner,
    round((leases.until - now) / 1000) as lease,
    work.state as work,
    round(extract(epoch from work.start_after) - now / 1000) as "workDue",
    round(extract(epoch from work.heartbeat_on) - now / 1000) as "workBeat",
    work.data ->> 'owner' as worker,
    work.retry_count as failures,
    coalesce(work.output ->> 'message', '') as error
  from reprise.jobs
  cross join clock
  left join lateral (
    select id, status, owner, count(*) over () as attempts
    from reprise.runs
    where job_id = jobs.id
    order by seq desc
    limit 1
  ) as last on true
  left join reprise.leases on leases.run_id = last.id and leases.resource like 'thread:%'
  left join reprise_work.job_common as work on work.name = 'jobs' and work.singleton_key = jobs.id
  where jobs.status in (${OPEN_JOB})
  order by jobs.created_at
`
