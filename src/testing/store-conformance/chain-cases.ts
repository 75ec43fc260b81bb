// What a store must do with chains: it takes every step in the transaction that ends a run, with the facts of that moment.
import assert from 'node:assert/strict'
import type { ChainFacts } from '../../core/chain/supervise.ts'
import { continueTier, supervise } from '../../core/chain/supervise.ts'
import type { Verdict } from '../../core/chain/verdict.ts'
import type { Failure } from '../../core/run/failure.ts'
import { RepriseError } from '../../errors.ts'
import type { Supervise } from '../../store/contract/chains.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Store } from '../../store/contract/store.ts'
import { refusesWith, storeCase } from './case.ts'
import { sampleChain, sampleMandate, turnFor } from './chain-samples.ts'
import { LEASE_MS, OTHER_OWNER, OWNER, sampleEnd, sampleStart } from './samples.ts'

const ESCALATE: Verdict = { verdict: 'escalate', summary: 's', reason: 'r', findings: [] }

const DIED: Failure = {
  class: 'supervisor-died',
  message: 'it died',
  hint: 'look',
  toolsRan: 1,
  resetsAt: null,
}

async function begun(store: Store, change: Parameters<typeof sampleChain>[0] = {}) {
  const { chain, run, lease } = await store.startChain(sampleChain(change), LEASE_MS)
  assert.ok(run && lease)
  await store.startRun(lease, sampleStart(run.id))
  return { chain, run, lease }
}

/** Ends the run as if its agent asked for the next tier; returns the facts that the supervisor got. */
async function escalated(store: Store, chain: { id: string; threadId: string }, lease: Lease) {
  const run = (await store.runsOfChain(chain.id)).at(-1)
  assert.ok(run)
  const seen: ChainFacts[] = []
  const ask: Supervise = facts => {
    seen.push(facts)
    const step = supervise(facts, {
      status: 'completed',
      failure: null,
      verdict: { read: 'verdict', verdict: ESCALATE },
    })
    return { step, next: turnFor(step, chain, { parentRunId: run.id }) }
  }
  const end = sampleEnd(run, { costUsd: 0.25, verdict: ESCALATE, supervise: ask })
  const step = await store.endRun(lease, end)
  return { step, facts: seen[0] }
}

export const CHAIN_CASES = [
  storeCase('E-2 begins a chain with its thread and its first run together', async store => {
    const { chain, run } = await begun(store)
    assert.equal(chain.status, 'running')
    assert.equal(chain.tier, 1)
    assert.equal(run.tier, 1)
    assert.equal(run.chainId, chain.id)
    assert.equal((await store.thread(chain.threadId))?.kind, 'chain')
    assert.deepEqual(await store.listThreads({ limit: 9 }), [])
    assert.equal((await store.listThreads({ kind: 'chain', limit: 9 })).length, 1)
    assert.deepEqual(await store.chain(chain.id), chain)
  }),

  storeCase(
    'E-2 asks the supervisor in the transaction that ends a run, with what it holds then',
    async store => {
      const { chain, run, lease } = await begun(store)
      const { step, facts } = await escalated(store, chain, lease)
      assert.equal(step?.kind, 'enter')
      assert.equal(facts?.tier, 1)
      assert.equal(facts?.spent.chain.usd, 0.25)
      assert.equal(facts?.verdictsAsked, 0)
      const [first, second] = await store.runsOfChain(chain.id)
      assert.deepEqual(first?.verdict, ESCALATE)
      assert.deepEqual(first?.chainStep, step)
      assert.equal(second?.parentRunId, run.id)
      assert.equal(second?.tier, 2)
      assert.equal((await store.chain(chain.id))?.tier, 2)
      // The next tier continues under the same lease, so no other turn comes between.
      await store.startRun(lease, sampleStart(second?.id ?? ''))
      assert.deepEqual(await store.verify(), [])
    },
  ),

  storeCase(
    'M-2 tells what the supervisor would be told of a chain that was broken off, and changes nothing',
    async store => {
      const { chain, run, lease } = await begun(store)
      await store.endRun(
        lease,
        sampleEnd(run, { status: 'interrupted', failure: DIED, answer: null, costUsd: 0.25 }),
      )
      const before = await store.chain(chain.id)
      const now = chain.createdAt + 60_000
      const facts = await store.chainFacts(chain.id, now)
      assert.equal(facts.tier, 1)
      assert.equal(facts.spent.chain.wallClockMs, 60_000)
      assert.equal(facts.spent.tier.usd, 0.25)
      assert.deepEqual(await store.chain(chain.id), before)
      const told: ChainFacts[] = []
      const supervise: Supervise = seen => {
        told.push(seen)
        const because = { code: 'chain-cancelled', tier: 1 } as const
        return { step: { kind: 'end', status: 'cancelled', because }, next: null }
      }
      await store.resumeChain(chain.id, { from: 'broken-off', after: run.id, supervise, at: now })
      assert.deepEqual(told, [facts])
      await refusesWith('not-found', () => store.chainFacts('chn_none', now))
    },
  ),

  storeCase('M-2 counts tokens of every kind against the budget of a chain', async store => {
    const { run, lease } = await begun(store)
    const seen: ChainFacts[] = []
    const supervise: Supervise = facts => {
      seen.push(facts)
      const because = { code: 'agent-resolved', tier: 1 } as const
      return { step: { kind: 'end', status: 'resolved', because }, next: null }
    }
    const usage = {
      inputTokens: 1,
      cacheReadTokens: 20,
      cacheWriteTokens: 300,
      outputTokens: 4_000,
    }
    await store.endRun(lease, sampleEnd(run, { usage, supervise }))
    assert.deepEqual([seen[0]?.spent.chain.tokens, seen[0]?.spent.tier.tokens], [4_321, 4_321])
  }),

  storeCase('E-7 ends a chain with its last run, and frees its thread', async store => {
    const { chain, lease } = await begun(store, { mandate: sampleMandate({ maxTier: 1 }) })
    const { step } = await escalated(store, chain, lease)
    assert.equal(step?.kind === 'end' && step.status, 'exhausted')
    const after = await store.chain(chain.id)
    assert.equal(after?.status, 'exhausted')
    assert.notEqual(after?.endedAt, null)
    assert.equal((await store.runsOfChain(chain.id)).length, 1)
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase(
    'I9 a chain whose run was interrupted has failed, whichever process ends the run',
    async store => {
      const { chain, run, lease } = await begun(store)
      await store.endRun(
        lease,
        sampleEnd(run, { status: 'interrupted', failure: DIED, answer: null }),
      )
      const after = await store.chain(chain.id)
      assert.equal(after?.status, 'failed')
      assert.equal(after?.because.code, 'run-interrupted')
    },
  ),

  storeCase(
    'E-2 lets a chain that was broken off go on once, after the run that its caller has seen',
    async store => {
      const { chain, run, lease } = await begun(store)
      const from = 'broken-off' as const
      const goOn: Supervise = facts => {
        const step = continueTier(facts, run.id)
        return { step, next: turnFor(step, chain, { parentRunId: run.id, attempt: 2 }) }
      }
      const asked = { from, after: run.id, supervise: goOn, at: 5_000 }
      await refusesWith('conflict', () => store.resumeChain(chain.id, asked))
      await store.endRun(
        lease,
        sampleEnd(run, { status: 'interrupted', failure: DIED, answer: null }),
      )
      await refusesWith('conflict', () => store.resumeChain(chain.id, { ...asked, from: 'held' }))
      await refusesWith('conflict', () => store.resumeChain(chain.id, { ...asked, after: 'run_x' }))
      const { step, run: next } = await store.resumeChain(chain.id, asked)
      assert.equal(step.kind, 'continue')
      assert.equal(next?.parentRunId, run.id)
      assert.equal(next?.attempt, 2)
      assert.equal(next?.tier, 1)
      const after = await store.chain(chain.id)
      assert.equal(after?.status, 'running')
      assert.equal(after?.endedAt, null)
      assert.equal(after?.because.code, 'continued')
      await refusesWith('conflict', () => store.resumeChain(chain.id, asked))
      assert.equal((await store.runsOfChain(chain.id)).length, 2)
      assert.deepEqual(await store.verify(), [])
    },
  ),

  storeCase(
    'E-2 leaves a chain as it was when its supervisor does not continue it',
    async store => {
      const { chain, run, lease } = await begun(store)
      await store.endRun(
        lease,
        sampleEnd(run, { status: 'interrupted', failure: DIED, answer: null }),
      )
      const before = await store.chain(chain.id)
      const supervise: Supervise = () => {
        throw new RepriseError('conflict', 'the budget is spent', 'start another')
      }
      const asked = { from: 'broken-off' as const, after: run.id, supervise, at: 5_000 }
      await refusesWith('conflict', () => store.resumeChain(chain.id, asked))
      assert.deepEqual(await store.chain(chain.id), before)
    },
  ),

  storeCase('I9 a chain whose queued run is cancelled or given up is over', async store => {
    const cancelled = await begun(store)
    await escalated(store, cancelled.chain, cancelled.lease)
    await store.releaseLease(cancelled.lease)
    const next = (await store.runsOfChain(cancelled.chain.id)).at(-1)
    await store.requestCancel(next?.id ?? '', 9_000)
    assert.equal((await store.chain(cancelled.chain.id))?.status, 'cancelled')

    const left = await begun(store)
    await escalated(store, left.chain, left.lease)
    const kept = (await store.runsOfChain(left.chain.id)).at(-1)
    assert.equal(await store.abandonQueued(kept?.id ?? '', OWNER, DIED, 9_000), true)
    assert.equal((await store.chain(left.chain.id))?.status, 'failed')
    assert.deepEqual(await store.verify(), [])
  }),

  storeCase('I1 the next tier of a dead process can be taken over', async store => {
    const { chain, lease } = await begun(store)
    await escalated(store, chain, lease)
    const next = (await store.runsOfChain(chain.id)).at(-1)
    assert.equal(await store.adoptQueued(next?.id ?? '', OWNER, OTHER_OWNER), true)
    const claim = await store.claimTurn(next?.id ?? '', OTHER_OWNER, LEASE_MS)
    assert.equal(claim.state, 'claimed')
    await refusesWith('lease-lost', () => store.startRun(lease, sampleStart(next?.id ?? '')))
  }),

  storeCase(
    'E-9 remembers when a tier was entered, for the policy and the work dir',
    async store => {
      const first = await begun(store)
      await escalated(store, first.chain, first.lease)
      const second = await begun(store)
      const { facts } = await escalated(store, second.chain, second.lease)
      assert.equal(typeof facts?.lastEnteredAt[2], 'number')
      const elsewhere = await begun(store, { workDir: '/elsewhere' })
      const { facts: other } = await escalated(store, elsewhere.chain, elsewhere.lease)
      assert.deepEqual(other?.lastEnteredAt, {})
    },
  ),

  storeCase('E-9 does not let a tier rest because a dry run entered it', async store => {
    const dry = await begun(store, { mandate: sampleMandate({ dryRun: true }) })
    await escalated(store, dry.chain, dry.lease)
    const real = await begun(store)
    const { facts } = await escalated(store, real.chain, real.lease)
    assert.deepEqual(facts?.lastEnteredAt, {})
  }),

  storeCase(
    'E-9 gives each cycle of a schedule once; one that would overlap is skipped',
    async store => {
      const schedule = {
        ...{
          policy: sampleMandate().policy,
          prompt: 'p',
          workDir: '/project',
          agent: 'claude-code',
        },
        ...{ maxTier: null, dryRun: false, budgetUsd: null, id: 'sch_1' },
        ...{ workspace: null, host: 'here', sharedRoot: null },
        ...{ recurrence: { everyMs: 1_000 } },
        ...{ nextAt: 5_000, lastChainId: null, skipped: 0, lastSkippedAt: null, createdAt: 1 },
      }
      const noted = async () =>
        (await store.changes(0, 100))
          .filter(({ kind }) => kind === 'schedule')
          .map(({ id, at }) => [id, at])
      await store.createSchedule(schedule, async () => {})
      assert.deepEqual(await noted(), [['sch_1', 1]])
      assert.deepEqual(await store.schedules(), [schedule])
      assert.deepEqual(await store.schedule('sch_1'), schedule)
      assert.equal(await store.schedule('sch_2'), null)
      const taken = { nextAt: 8_000, now: 7_500 }
      assert.deepEqual(await store.takeCycle(schedule, taken), { isBusy: false })
      assert.deepEqual(await noted(), [['sch_1', 7_500]])
      // A caller that looked at the same moment comes too late.
      assert.equal(await store.takeCycle(schedule, taken), null)
      assert.equal((await store.schedule('sch_1'))?.nextAt, 8_000)
      const { chain } = await begun(store, { scheduleId: 'sch_1' })
      assert.deepEqual(await noted(), [['sch_1', chain.createdAt]])
      const again = { nextAt: 9_000, now: 8_000 }
      assert.deepEqual(await store.takeCycle({ id: 'sch_1', nextAt: 8_000 }, again), {
        isBusy: true,
      })
      assert.deepEqual(await noted(), [['sch_1', 8_000]])
      const [after] = await store.schedules()
      assert.equal(after?.skipped, 1)
      assert.equal(after?.nextAt, 9_000)
      assert.equal(after?.lastChainId, chain.id)
      assert.equal(await store.removeSchedule('sch_1'), true)
      assert.equal(await store.removeSchedule('sch_1'), false)
      const [[id, at] = []] = await noted()
      assert.equal(id, 'sch_1')
      assert.ok(Number(at) > 8_000, 'the removal was not noted')
    },
  ),
]
