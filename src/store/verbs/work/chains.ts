// Chains begin, move on and end in the transactions of their runs, so that no step is lost or taken twice.

import type { ChainCounts, ChainRecord } from '../../../core/chain/chain.ts'
import type { Mandate } from '../../../core/chain/policy.ts'
import {
  type ChainFacts,
  type ChainReason,
  type ChainStatus,
  type ChainStep,
  supervise as superviseEnd,
} from '../../../core/chain/supervise.ts'
import { NOTHING_SPENT, type Spent } from '../../../core/money/budget.ts'
import type { Failure } from '../../../core/run/run.ts'
import type { WaitReason } from '../../../core/run/wait-reason.ts'
import { workspaceWords } from '../../../core/run/workspace.ts'
import { traceText } from '../../../core/trace/trace-context.ts'
import { RepriseError } from '../../../errors.ts'
import type { ChainMove, ChainVerbs, NewChain } from '../../contract/chains.ts'
import { type Database, read, type Sql, write } from '../../sql/dialect.ts'
import { lockName, lockThread, lockThreadOfChain } from '../../sql/locks.ts'
import { allOf, equal, firstOf, insertRows, notBefore, rowsOf } from '../../sql/plain-sql.ts'
import { bit, runOf, type WorkspaceColumns, workspaceOf } from '../../sql/rows.ts'
import type { RunRow, ThreadRow } from '../../sql/schema.ts'
import { sql } from '../../sql/statement.ts'
import type { ChainRow } from '../../sql/work-rows.ts'
import { noteChange } from '../runs/changes.ts'
import { claimKey, keepAnswer } from '../runs/request-keys.ts'
import { claim, noteWaiting, submit } from '../runs/turns.ts'
import { insertThread } from '../threads/threads.ts'
import { refuseOvertaken, refuseUnless } from './resumptions.ts'
import { noteStarted } from './schedules.ts'

export function chainVerbs(database: Database): ChainVerbs {
  return {
    startChain: (chain, leaseMs, noSlot) =>
      write(database, tx => startChain(tx, chain, { leaseMs, noSlot })),

    resumeChain: (id, { from, after, supervise, at, noSlot }) =>
      write(database, async tx => {
        await lockThreadOfChain(tx, id)
        const row = await existingChainRow(tx, id)
        refuseUnless(from, chainOf(row))
        await refuseOvertaken(tx, id, after)
        const move = supervise(await lockedFactsOf(tx, row, { tier: row.tier, now: at }))
        const run = await applyMove(tx, row, { move, at })
        if (run) await noteWaiting(tx, run, { at, noSlot })
        return { step: move.step, run: run && runOf(run) }
      }),

    chainFacts: (id, now) =>
      read(database, async tx => {
        const row = await existingChainRow(tx, id)
        return factsOf(tx, row, { tier: row.tier, now })
      }),

    async chain(id) {
      const row = await chainRow(database, id)
      return row === undefined ? null : chainOf(row)
    },

    async runsOfChain(id) {
      const rows = await rowsOf(
        database,
        sql<RunRow>`
          select *
          from runs
          where chain_id = ${id}
          order by seq
        `,
      )
      return rows.map(runOf)
    },

    listChains: filter => read(database, tx => newestChains(tx, filter)),

    countChains: () => read(database, countChains),
  }
}

async function startChain(
  tx: Sql,
  chain: NewChain,
  { leaseMs, noSlot }: { readonly leaseMs: number | null; readonly noSlot: WaitReason | undefined },
) {
  const earlier = chain.key && (await claimKey(tx, chain.key))
  if (earlier) return { chain: await chainOfThread(tx, earlier.threadId), run: null, lease: null }
  const { thread, mandate } = chain
  await lockThread(tx, thread.id)
  await insertThread(tx, thread, [])
  const row: ChainRow = {
    id: chain.id,
    thread_id: thread.id,
    agent: chain.agent,
    // The pause between chains of a policy counts for a repository, wherever it is checked out.
    work_dir: thread.workspace ? workspaceWords(thread.workspace) : chain.workDir,
    policy_name: mandate.policy.name,
    prompt: chain.prompt,
    mandate: JSON.stringify(mandate),
    is_dry_run: bit(mandate.dryRun),
    status: 'running',
    tier: 0,
    because: JSON.stringify({ code: 'begun', tier: 1 }),
    schedule_id: chain.scheduleId,
    trace: traceText(chain.trace),
    created_at: chain.createdAt,
    ended_at: null,
  }
  await insertRows(tx, { table: 'chains' }, [row])
  if (chain.scheduleId !== null) await noteStarted(tx, chain.scheduleId, chain)
  const move = chain.supervise(await lockedFactsOf(tx, row, { tier: 0, now: chain.createdAt }))
  const run = await applyMove(tx, row, { move, at: chain.createdAt })
  if (chain.key) {
    const did = { threadId: thread.id, runId: run?.id ?? null, messageId: null }
    await keepAnswer(tx, chain.key, { ...did, at: chain.createdAt })
  }
  const owner = move.next?.owner
  const claimed = run && owner && leaseMs !== null ? await claim(tx, run, { owner, leaseMs }) : null
  if (run && claimed === null) await noteWaiting(tx, run, { at: chain.createdAt, noSlot })
  return {
    chain: chainOf(await existingChainRow(tx, chain.id)),
    run: run && runOf(run),
    lease: claimed?.state === 'claimed' ? claimed.lease : null,
  }
}

type Ended = {
  readonly status: 'completed' | 'failed' | 'interrupted' | 'cancelled'
  readonly failure: Failure | null
  readonly at: number
  /** `null`: no process is there that could continue the chain. */
  readonly supervise: ((facts: ChainFacts) => ChainMove) | null
}

/** Called when the end of a chain's run is recorded. Gives the next step, and the run that was created for it. */
export async function moveChain(
  tx: Sql,
  run: RunRow,
  ended: Ended,
): Promise<{ readonly step: ChainStep; readonly next: RunRow | null } | null> {
  if (run.chain_id === null) return null
  const row = await existingChainRow(tx, run.chain_id)
  if (row.status !== 'running') return null
  const facts = await lockedFactsOf(tx, row, { tier: run.tier ?? 1, now: ended.at })
  const move = ended.supervise?.(facts) ?? moveAfterBreak(facts, ended)
  const next = await applyMove(tx, row, { move, at: ended.at })
  await tx.execute(sql`
    update runs
    set chain_step = ${JSON.stringify(move.step)},
      chain_step_kind = ${move.step.kind},
      continued_by = ${next?.id ?? null}
    where id = ${run.id}
  `)
  return { step: move.step, next }
}

/** Ends the chain when its run broke off and no process is there that could start the next one. */
function moveAfterBreak(facts: ChainFacts, { status, failure }: Ended): ChainMove {
  const asBroken = status === 'completed' ? 'interrupted' : status
  const step = superviseEnd(facts, { status: asBroken, failure, verdict: null })
  return { step, next: null }
}

async function applyMove(
  tx: Sql,
  chain: ChainRow,
  { move, at }: { readonly move: ChainMove; readonly at: number },
): Promise<RunRow | null> {
  const { step, next } = move
  const hasEnded = step.kind === 'end'
  await tx.execute(sql`
    update chains
    set status = ${hasEnded ? step.status : 'running'},
      tier = ${hasEnded ? chain.tier : step.tier},
      because = ${JSON.stringify(step.because)},
      ended_at = ${hasEnded ? at : null}
    where id = ${chain.id}
  `)
  await noteChange(tx, { kind: 'chain', id: chain.id, at })
  if (hasEnded) return null
  if (next === null) throw new TypeError(`chain ${chain.id} goes on without a turn`)
  return submit(tx, next, at)
}

type Moment = { readonly tier: number; readonly now: number }

async function lockedFactsOf(tx: Sql, chain: ChainRow, moment: Moment): Promise<ChainFacts> {
  // Without this lock, two chains could enter the tier at the same time.
  await lockName(tx, `entry:${chain.policy_name}:${chain.work_dir}`)
  return factsOf(tx, chain, moment)
}

/** Reads all facts in this transaction. */
async function factsOf(tx: Sql, chain: ChainRow, { tier, now }: Moment): Promise<ChainFacts> {
  const mandate = mandateOf(chain)
  const spentIn = await spentByTier(tx, chain, now)
  const entered = await lastEntered(tx, chain, tier + 1)
  return {
    mandate,
    tier,
    verdictsAsked: spentIn.asked.get(tier) ?? 0,
    spent: { chain: spentIn.total, tier: spentIn.tiers.get(tier) ?? NOTHING_SPENT },
    lastEnteredAt: entered === null ? {} : { [tier + 1]: entered },
    now,
  }
}

type TierSum = {
  readonly tier: number | null
  readonly usd: number | null
  readonly tokens: number | null
  readonly runs: number
  readonly asked: number
  readonly began: number
}

async function spentByTier(tx: Sql, chain: ChainRow, now: number) {
  const rows = await rowsOf(
    tx,
    sql<TierSum>`
      select tier,
        sum(cost_usd) as usd,
        sum(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens) as tokens,
        count(*) as runs,
        sum(case when chain_step_kind = 'ask-verdict' then 1 else 0 end) as asked,
        min(queued_at) as began
      from runs
      where chain_id = ${chain.id}
      group by tier
    `,
  )
  const tiers = new Map(rows.map(row => [row.tier ?? 0, spentOf(row, now - row.began)]))
  let total: Spent = { ...NOTHING_SPENT, wallClockMs: now - chain.created_at }
  for (const { usd, tokens, runs } of tiers.values()) {
    total = {
      ...total,
      usd: total.usd + usd,
      tokens: total.tokens + tokens,
      runs: total.runs + runs,
    }
  }
  return { tiers, total, asked: new Map(rows.map(row => [row.tier ?? 0, row.asked])) }
}

function spentOf({ usd, tokens, runs }: TierSum, wallClockMs: number): Spent {
  return { usd: usd ?? 0, tokens: tokens ?? 0, runs, wallClockMs }
}

/** Counts any chain of the same policy in the same work dir, except dry runs: they change nothing, so no pause must follow. */
async function lastEntered(tx: Sql, chain: ChainRow, tier: number): Promise<number | null> {
  const row = await firstOf(
    tx,
    sql<{ at: number | null }>`
      select max(entries.at) as at
      from (
        select min(runs.queued_at) as at
        from runs
        join chains on chains.id = runs.chain_id
        where chains.policy_name = ${chain.policy_name}
        and chains.work_dir = ${chain.work_dir}
        and chains.is_dry_run = 0
        and runs.tier = ${tier}
        group by runs.chain_id
      ) as entries
    `,
  )
  return row?.at ?? null
}

async function newestChains(
  tx: Sql,
  { status, policy, since, cursor, limit }: Parameters<ChainVerbs['listChains']>[0],
): Promise<readonly ChainRecord[]> {
  const conditions = [
    ...equal<'chains'>({ status, policy_name: policy }),
    ...notBefore('chains.created_at', since),
  ]
  if (cursor !== undefined) {
    conditions.push(
      sql`(chains.created_at, chains.id) < (select last.created_at, last.id from chains as last where last.id = ${cursor})`,
    )
  }
  const rows = await rowsOf(
    tx,
    sql<PlacedChainRow>`
      select ${PLACED}
      from chains
      join threads on threads.id = chains.thread_id
      where ${allOf(conditions)}
      order by chains.created_at desc, chains.id desc
      limit ${limit}
    `,
  )
  return rows.map(chainOf)
}

async function countChains(tx: Sql): Promise<ChainCounts> {
  const chains = await rowsOf(
    tx,
    sql<ChainCounts['chains'][number]>`
      select status, count(*) as chains
      from chains
      group by status
    `,
  )
  const tiers = await rowsOf(
    tx,
    sql<ChainCounts['tiers'][number]>`
      select chains.policy_name as policy,
        runs.tier as tier,
        count(*) as runs,
        sum(runs.cost_usd) as "costUsd"
      from runs
      join chains on chains.id = runs.chain_id
      where runs.tier is not null
      group by chains.policy_name, runs.tier
    `,
  )
  return { chains, tiers }
}

/** A chain with the columns of its thread that say where it works. */
type PlacedChainRow = ChainRow &
  WorkspaceColumns &
  Pick<ThreadRow, 'host'> & { readonly thread_work_dir: string }

const PLACED = sql`
  chains.*,
  threads.work_dir as thread_work_dir,
  threads.host,
  threads.repository,
  threads.repository_ref,
  threads.repository_commit
`

function chainRow(tx: Sql, id: string): Promise<PlacedChainRow | undefined> {
  return firstOf(
    tx,
    sql<PlacedChainRow>`
      select ${PLACED}
      from chains
      join threads on threads.id = chains.thread_id
      where chains.id = ${id}
    `,
  )
}

async function chainOfThread(tx: Sql, threadId: string): Promise<ChainRecord> {
  const row = await firstOf(
    tx,
    sql<PlacedChainRow>`
      select ${PLACED}
      from chains
      join threads on threads.id = chains.thread_id
      where chains.thread_id = ${threadId}
    `,
  )
  if (row !== undefined) return chainOf(row)
  throw new RepriseError(
    'not-found',
    `the chain of thread ${threadId} was removed`,
    'Start another one with `reprise escalate`.',
  )
}

async function existingChainRow(tx: Sql, id: string): Promise<PlacedChainRow> {
  return (await chainRow(tx, id)) ?? refuseUnknown(id)
}

function refuseUnknown(id: string): never {
  throw new RepriseError(
    'not-found',
    `there is no chain ${id}`,
    'Run `reprise chains` to see their ids.',
  )
}

function mandateOf(row: ChainRow): Mandate {
  return JSON.parse(row.mandate) as Mandate
}

function chainOf(row: PlacedChainRow): ChainRecord {
  const workspace = workspaceOf(row)
  return {
    id: row.id,
    threadId: row.thread_id,
    agent: row.agent,
    workDir: workspace === null ? row.work_dir : row.thread_work_dir,
    host: row.host,
    workspace,
    prompt: row.prompt,
    mandate: mandateOf(row),
    status: row.status as ChainStatus,
    tier: row.tier,
    because: JSON.parse(row.because) as ChainReason,
    scheduleId: row.schedule_id,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  }
}
