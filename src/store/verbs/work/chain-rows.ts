// A row of a chain to our type.
import type { Selectable } from 'kysely'
import type { Mandate } from '../../../core/chain/policy.ts'
import type { ChainReason, ChainStatus } from '../../../core/chain/supervise.ts'
import type { ChainRecord } from '../../contract/store.ts'
import type { ChainsTable } from '../../sql/schema.ts'

export function chainOf(row: Selectable<ChainsTable>): ChainRecord {
  return {
    id: row.id,
    threadId: row.thread_id,
    agent: row.agent,
    workDir: row.work_dir,
    prompt: row.prompt,
    mandate: JSON.parse(row.mandate) as Mandate,
    status: row.status as ChainStatus,
    tier: row.tier,
    because: JSON.parse(row.because) as ChainReason,
    scheduleId: row.schedule_id,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  }
}
