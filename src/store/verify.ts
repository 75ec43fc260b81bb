// Looks for broken promises in a store. Every rule is a query whose rows are the violations.
import { ceilingOf, type Mandate } from '../core/chain/policy.ts'
import { hashOf } from '../core/conversation/messages.ts'
import type { VerifyOptions, Violation } from '../core/violation.ts'
import { type Database, read, type Sql } from './sql/dialect.ts'
import { rowsOf } from './sql/plain-sql.ts'
import { messageOf } from './sql/rows.ts'
import type { MessageRow } from './sql/schema.ts'
import { raw, sql } from './sql/statement.ts'

type Finding = { readonly subject: string; readonly detail: string }
type Rule = { readonly rule: string; readonly find: (tx: Sql) => Promise<readonly Finding[]> }

/** Reads messages in pages, because a store may be larger than memory. */
const PAGE = 500

export function findViolations(
  database: Database,
  { onProgress }: VerifyOptions = {},
): Promise<readonly Violation[]> {
  return read(database, async tx => {
    const violations: Violation[] = []
    for (const [done, { rule, find }] of RULES.entries()) {
      onProgress?.({ done, total: RULES.length })
      for (const { subject, detail } of await find(tx)) violations.push({ rule, subject, detail })
    }
    return violations
  })
}

/** A rule as one select that gives `subject` and `detail` of each violation. */
function rule(id: string, query: string): Rule {
  return { rule: id, find: tx => rowsOf(tx, raw<Finding>(query)) }
}

const RULES: readonly Rule[] = [
  { rule: 'structure', find: damages },

  rule(
    'I2-one-run-per-thread',
    `select thread_id as subject, count(*) || ' runs are going' as detail
    from runs
    where status in ('running', 'waiting')
    and thread_id is not null
    group by thread_id
    having count(*) > 1`,
  ),
  rule(
    'I2-one-run-per-session',
    `select session_id as subject, count(*) || ' runs are going' as detail
    from runs
    where status in ('running', 'waiting')
    and session_id is not null
    group by agent, session_id
    having count(*) > 1`,
  ),
  rule(
    'I2-lease-of-ended-run',
    `select leases.resource as subject,
      'held by ' || leases.run_id || ', which is ' || coalesce(runs.status, 'not there') as detail
    from leases
    left join runs on runs.id = leases.run_id
    where leases.run_id is not null
    and coalesce(runs.status, '') not in ('queued', 'running', 'waiting')`,
  ),

  rule(
    'I4-cost-not-negative',
    `select id as subject, 'costs ' || cost_usd as detail
    from runs
    where cost_usd < 0`,
  ),

  rule(
    'I6-confirmed-is-proven',
    `select id as subject, 'confirmed without a time or without anything seen' as detail
    from sessions
    where pointer = 'confirmed'
    and (
      confirmed_at is null
      or not exists (select 1 from session_seen where session_seen.session = sessions.id)
    )`,
  ),
  rule(
    'I6-retired-has-reason',
    `select id as subject, 'retired without a reason' as detail
    from sessions
    where pointer = 'retired'
    and retired_because is null`,
  ),

  rule(
    'I9-ended-once',
    `select id as subject, status || ', but it has no time of its end' as detail
    from runs
    where status not in ('queued', 'running', 'waiting')
    and ended_at is null
    union all
    select id, status || ', but it has a time of its end'
    from runs
    where status in ('queued', 'running', 'waiting')
    and ended_at is not null`,
  ),
  rule(
    'I9-failure-fits-status',
    `select id as subject, 'completed, but with a failure' as detail
    from runs
    where status = 'completed'
    and failure is not null
    union all
    select id, status || ' without a failure that says why'
    from runs
    where status in ('failed', 'interrupted')
    and failure is null`,
  ),
  rule(
    'I9-question-waits',
    `select questions.run_id as subject,
      'it is ' || runs.status || ', but ' || questions.tool_use_id || ' is open' as detail
    from questions
    join runs on runs.id = questions.run_id
    where questions.state = 'open'
    and runs.status <> 'waiting'`,
  ),
  rule(
    'I9-going-has-owner',
    `select runs.id as subject, runs.status || ', but nobody holds its thread for it' as detail
    from runs
    where runs.status in ('running', 'waiting')
    and runs.thread_id is not null
    and not exists (
      select 1
      from leases
      where leases.resource = 'thread:' || runs.thread_id
      and leases.run_id = runs.id
      and leases.owner is not null
    )
    and not exists (
      select 1
      from questions
      where questions.run_id = runs.id
      and questions.state = 'open'
      and questions.delivery <> 'live'
    )
    union all
    select id, status || ' without an owner'
    from runs
    where status in ('queued', 'running', 'waiting')
    and owner = ''`,
  ),

  rule(
    'J-8-job-ended-once',
    `select id as subject, status || ', but it has no time of its end' as detail
    from jobs
    where status in ('completed', 'failed', 'cancelled', 'dead')
    and ended_at is null
    union all
    select id, status || ', but it has a time of its end'
    from jobs
    where status in ('queued', 'running', 'waiting', 'parked')
    and ended_at is not null`,
  ),
  rule(
    'J-8-runs-of-a-job-on-its-thread',
    `select runs.id as subject, 'an attempt of ' || runs.job_id || ', but not on its thread' as detail
    from runs
    left join jobs on jobs.id = runs.job_id
    where runs.job_id is not null
    and coalesce(jobs.thread_id, '') <> runs.thread_id`,
  ),
  rule(
    'J-8-job-that-is-over-has-no-open-run',
    `select jobs.id as subject, jobs.status || ', but ' || runs.id || ' is ' || runs.status as detail
    from jobs
    join runs on runs.job_id = jobs.id
    where jobs.status in ('completed', 'failed', 'cancelled', 'dead')
    and runs.status in ('running', 'waiting')`,
  ),

  rule(
    'I10-events-gapless',
    `select run_id as subject, count(*) || ' events, from ' || min(seq) || ' to ' || max(seq) as detail
    from events
    group by run_id
    having min(seq) <> 1 or max(seq) <> count(*)`,
  ),

  rule(
    'answer-on-branch',
    `select runs.id as subject, 'completed, but its answer is on no branch of its thread' as detail
    from runs
    where runs.status = 'completed'
    and runs.thread_id is not null
    and not exists (
      select 1
      from branch_entries
      join branches on branches.id = branch_entries.branch_id
      where branch_entries.message_id = runs.answer_message_id
      and branches.thread_id = runs.thread_id
    )`,
  ),
  rule(
    'branch-contiguous',
    `select branch_id as subject,
      count(*) || ' entries, from ' || min(position) || ' to ' || max(position) as detail
    from branch_entries
    group by branch_id
    having min(position) <> 0 or max(position) <> count(*) - 1`,
  ),
  rule(
    'thread-has-branch',
    `select threads.id as subject, 'its branch ' || threads.branch_id || ' is not there' as detail
    from threads
    left join branches on branches.id = threads.branch_id and branches.thread_id = threads.id
    where branches.id is null`,
  ),
  rule(
    'continued-run-exists',
    `select runs.id as subject, 'continued by ' || runs.continued_by || ', which is not there' as detail
    from runs
    left join runs as next on next.id = runs.continued_by and next.parent_run_id = runs.id
    where runs.continued_by is not null
    and next.id is null`,
  ),
  rule(
    'E-2-running-chain-has-run',
    `select chains.id as subject, 'running, but none of its runs is open' as detail
    from chains
    where chains.status = 'running'
    and not exists (
      select 1
      from runs
      where runs.chain_id = chains.id
      and runs.status in ('queued', 'running', 'waiting')
    )
    union all
    select chains.id, chains.status || ', but one of its runs is open'
    from chains
    where chains.status <> 'running'
    and exists (
      select 1
      from runs
      where runs.chain_id = chains.id
      and runs.status in ('queued', 'running', 'waiting')
    )`,
  ),
  rule(
    'S18-one-tier-at-a-time',
    `select runs.id as subject,
      'tier ' || runs.tier || ' after tier ' || coalesce(below.tier, 0) as detail
    from runs
    left join runs as below on below.id = runs.parent_run_id
    where runs.chain_id is not null
    and runs.tier - coalesce(below.tier, 0) not in (0, 1)`,
  ),
  rule(
    'V-1-content-of-pieces-whole',
    `select vault_contents.digest as subject,
      coalesce(sum(length(vault_parts.packed)), 0) || ' bytes of ' || vault_contents.bytes as detail
    from vault_contents
    left join vault_parts on vault_parts.digest = vault_contents.digest
    group by vault_contents.digest, vault_contents.bytes
    having coalesce(sum(length(vault_parts.packed)), 0) <> vault_contents.bytes`,
  ),
  { rule: 'S18-tier-ceiling', find: highChains },
  { rule: 'message-hash', find: wrongHashes },
]

/** Compares with the mandate that was stored at the start of the chain. */
async function highChains(tx: Sql): Promise<readonly Finding[]> {
  const rows = await rowsOf(
    tx,
    sql<{ id: string; mandate: string; tier: number }>`
      select chains.id, chains.mandate, max(runs.tier) as tier
      from chains
      join runs on runs.chain_id = chains.id
      group by chains.id, chains.mandate
    `,
  )
  return rows.flatMap(({ id, mandate, tier }) => {
    const ceiling = ceilingOf(JSON.parse(mandate) as Mandate)
    return tier > ceiling ? [{ subject: id, detail: `tier ${tier} of at most ${ceiling}` }] : []
  })
}

async function damages(tx: Sql): Promise<readonly Finding[]> {
  const found = await tx.dialect.damages(tx)
  return found.map(detail => ({ subject: 'database', detail }))
}

async function wrongHashes(tx: Sql): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  let after = ''
  for (;;) {
    const rows = await rowsOf(
      tx,
      sql<MessageRow>`
        select *
        from messages
        where id > ${after}
        order by id
        limit ${PAGE}
      `,
    )
    for (const message of rows.map(messageOf)) {
      if (message.hash === hashOf(message)) continue
      findings.push({ subject: message.id, detail: 'its hash is not that of its content' })
    }
    const last = rows.at(-1)
    if (last === undefined) return findings
    after = last.id
  }
}
