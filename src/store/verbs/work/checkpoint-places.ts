// Which repositories hold checkpoints of which job.
import { type JobStatus, OPEN_JOB_STATUSES } from '../../../core/job/job.ts'
import type { CheckpointPlaceVerbs, KnownPlace } from '../../contract/checkpoint-places.ts'
import type { Database } from '../../sql/dialect.ts'
import { rowsOf } from '../../sql/plain-sql.ts'
import { sql } from '../../sql/statement.ts'

type Row = {
  readonly job_id: string
  readonly git_dir: string
  readonly host: string | null
  readonly status: string | null
  readonly ended_at: number | null
}

export function checkpointPlaceVerbs(database: Database): CheckpointPlaceVerbs {
  return {
    async keepCheckpointPlace({ jobId, gitDir, host }) {
      await database.execute(sql`
        insert into checkpoint_places (job_id, git_dir, host)
        values (${jobId}, ${gitDir}, ${host})
        on conflict do nothing
      `)
    },

    async checkpointPlaces({ jobId } = {}) {
      const rows = await rowsOf(
        database,
        sql<Row>`
          select checkpoint_places.*, jobs.status, jobs.ended_at
          from checkpoint_places
          left join jobs on jobs.id = checkpoint_places.job_id
          where ${jobId === undefined ? sql`1 = 1` : sql`checkpoint_places.job_id = ${jobId}`}
          order by checkpoint_places.git_dir, checkpoint_places.job_id
        `,
      )
      return rows.map(placeOf)
    },

    async workDirsWithoutPlace() {
      const rows = await rowsOf(
        database,
        sql<{ readonly work_dir: string }>`
          select distinct work_dir
          from jobs
          where started_at is not null
          and checkpoints <> 'off'
          and not exists (
            select 1
            from checkpoint_places
            where checkpoint_places.job_id = jobs.id
          )
          order by work_dir
        `,
      )
      return rows.map(({ work_dir }) => work_dir)
    },

    async forgetCheckpointPlace({ jobId, gitDir }) {
      await database.execute(sql`
        delete from checkpoint_places
        where job_id = ${jobId}
        and git_dir = ${gitDir}
      `)
    },
  }
}

function placeOf({ job_id, git_dir, host, status, ended_at }: Row): KnownPlace {
  const place = { jobId: job_id, gitDir: git_dir, host }
  if (status === null) return { ...place, job: 'gone' }
  const isOpen = OPEN_JOB_STATUSES.includes(status as JobStatus) || ended_at === null
  return { ...place, job: isOpen ? 'open' : { endedAt: ended_at } }
}
