// Checks whether a chain that was over may go on, in the transaction that continues it.

import type { ChainRecord } from '../../../core/chain/chain.ts'
import { type ChainStatus, isBrokenOff } from '../../../core/chain/supervise.ts'
import { RepriseError } from '../../../errors.ts'
import type { Resumption } from '../../contract/chains.ts'
import type { Sql } from '../../sql/dialect.ts'
import { firstOf } from '../../sql/plain-sql.ts'
import { sql } from '../../sql/statement.ts'

export function refuseUnless(from: Resumption['from'], chain: ChainRecord): void {
  const state = isBrokenOff(chain) ? 'broken-off' : chain.status
  if (state === from) return
  const wanted = from === 'held' ? 'is held can be approved' : 'was broken off can be continued'
  const what = `chain ${chain.id} is ${chain.status}: only one that ${wanted}`
  throw new RepriseError('conflict', what, HINTS[state](chain.id))
}

/** Throws if somebody else has continued the chain since the caller read it, even if it has stopped again. */
export async function refuseOvertaken(
  tx: Sql,
  chainId: string,
  after: Resumption['after'],
): Promise<void> {
  const last = await firstOf(
    tx,
    sql<{ id: string }>`
      select id
      from runs
      where chain_id = ${chainId}
      order by seq desc
      limit 1
    `,
  )
  if ((last?.id ?? null) === after) return
  const hint = `Look at it: reprise chains show ${chainId}.`
  throw new RepriseError('conflict', `chain ${chainId} has gone on meanwhile`, hint)
}

const startAnother = () => 'It is over: start another chain with reprise escalate.'

/** What a user can do with a chain in each state. */
const HINTS: Readonly<Record<ChainStatus | 'broken-off', (id: string) => string>> = {
  running: id => `Wait for its end, or end it: reprise chains cancel ${id}.`,
  held: id => `Look at why: reprise chains show ${id}; let it go on: reprise chains approve ${id}.`,
  'broken-off': id => `Let its tier go on: reprise chains continue ${id}.`,
  resolved: startAnother,
  exhausted: startAnother,
  failed: startAnother,
  cancelled: startAnother,
}
