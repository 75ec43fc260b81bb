// Who works on a run, and what the run has used so far.
import type { AgentSaid } from '../../../core/run/events.ts'
import type { Request } from '../../../core/run/observe.ts'
import type { RunVerbs } from '../../contract/runs.ts'
import type { Database } from '../../sql/dialect.ts'
import { firstOf, rowsOf } from '../../sql/plain-sql.ts'
import { ownerOf } from '../../sql/rows.ts'
import type { EventRow, LeaseRow, RunRow } from '../../sql/schema.ts'
import { sql } from '../../sql/statement.ts'
import { threadResource } from './leases.ts'

export function runWorkVerbs(database: Database): Pick<RunVerbs, 'holderOf' | 'requestsOf'> {
  return {
    async holderOf(runId) {
      const run = await firstOf(
        database,
        sql<Pick<RunRow, 'owner' | 'thread_id'>>`
          select owner, thread_id
          from runs
          where id = ${runId}
        `,
      )
      if (run === undefined) return null
      const lease = await firstOf(
        database,
        sql<Pick<LeaseRow, 'token' | 'until'>>`
          select token, until
          from leases
          where resource = ${threadResource(run.thread_id ?? '')}
          and run_id = ${runId}
        `,
      )
      return { owner: ownerOf(run.owner), lease: lease ?? null }
    },

    async requestsOf(runId) {
      const rows = await rowsOf(
        database,
        sql<Pick<EventRow, 'json'>>`
          select json
          from events
          where run_id = ${runId}
          and type = 'usage'
          order by seq
        `,
      )
      // The event log writes events of this type with these fields.
      const reported = rows.map(({ json }) => JSON.parse(json) as UsageEvent)
      const latest = new Map(reported.map(event => [event.requestId, requestIn(event)]))
      return [...latest.values()]
    },
  }
}

type UsageEvent = Extract<AgentSaid, { readonly type: 'usage' }>

function requestIn({ requestId, model, usage, main }: UsageEvent): Request {
  return { requestId, model, usage, main }
}
