// What a store must do with many chains: lists, sums, requests that are repeated, chains that wait.
import assert from 'node:assert/strict'
import { continueTier } from '../../core/chain/supervise.ts'
import { waitWords } from '../../core/run/wait-reason.ts'
import type { Supervise } from '../../store/contract/chains.ts'
import { refusesWith, storeCase } from './case.ts'
import { sampleChain, sampleMandate, turnFor } from './chain-samples.ts'
import { LEASE_MS, sampleEnd, sampleFailure, sampleStart } from './samples.ts'

const NO_SLOT = { code: 'no-slot', running: 2, max: 2 } as const

const resolve: Supervise = () => {
  const because = { code: 'agent-resolved', tier: 1 } as const
  return { step: { kind: 'end', status: 'resolved', because }, next: null }
}

export const CHAIN_LIST_CASES = [
  storeCase('E-7 lists chains newest first, by status and by policy', async store => {
    const other = sampleMandate()
    const policy = { ...other.policy, name: 'other' }
    const chains = [
      sampleChain({ createdAt: 1_000 }),
      sampleChain({ createdAt: 3_000 }),
      sampleChain({ createdAt: 2_000, mandate: { ...other, policy } }),
    ] as const
    for (const chain of chains) {
      const { run, lease } = await store.startChain(chain, LEASE_MS)
      assert.ok(run && lease)
      if (chain !== chains[0]) continue
      await store.startRun(lease, sampleStart(run.id))
      await store.endRun(lease, sampleEnd(run, { supervise: resolve }))
    }
    const [oldest, newest, third] = chains.map(({ id }) => id)
    const ids = async (filter: Parameters<typeof store.listChains>[0]) =>
      (await store.listChains(filter)).map(({ id }) => id)
    assert.deepEqual(await ids({ limit: 9 }), [newest, third, oldest])
    assert.deepEqual(await ids({ limit: 1 }), [newest])
    assert.deepEqual(await ids({ limit: 9, cursor: newest ?? '' }), [third, oldest])
    assert.deepEqual(await ids({ limit: 9, status: 'resolved' }), [oldest])
    assert.deepEqual(await ids({ limit: 9, policy: 'other' }), [third])
    assert.deepEqual(await ids({ limit: 9, since: 2_000 }), [newest, third])
    const counts = await store.countChains()
    assert.deepEqual(
      counts.chains.toSorted((a, b) => a.status.localeCompare(b.status)),
      [
        { status: 'resolved', chains: 1 },
        { status: 'running', chains: 2 },
      ],
    )
    assert.deepEqual(
      counts.tiers.toSorted((a, b) => a.policy.localeCompare(b.policy)),
      [
        { policy: 'other', tier: 1, runs: 1, costUsd: null },
        { policy: 'sample', tier: 1, runs: 2, costUsd: 0.25 },
      ],
    )
  }),

  storeCase('I8 starts a chain once for a key, and gives the same chain again', async store => {
    const key = { key: 'k', request: 'r', note: '' }
    const first = await store.startChain(sampleChain({ key }), LEASE_MS)
    const again = await store.startChain(sampleChain({ key }), LEASE_MS)
    assert.deepEqual([again.chain, again.run, again.lease], [first.chain, null, null])
    const request = await store.findRequest(key)
    assert.deepEqual([request?.threadId, request?.runId], [first.chain.threadId, first.run?.id])
    assert.equal((await store.listChains({ limit: 9 })).length, 1)
    assert.ok(first.run && first.lease)
    await store.startRun(first.lease, sampleStart(first.run.id))
    await store.endRun(first.lease, sampleEnd(first.run, { supervise: resolve }))
    await store.removeThread(first.chain.threadId)
    const gone = () => store.startChain(sampleChain({ key }), LEASE_MS)
    await refusesWith('not-found', gone, first.chain.threadId)
  }),

  storeCase('U-4 a chain that has to wait for a slot says so in its log', async store => {
    const { chain, run, lease } = await store.startChain(sampleChain(), null, NO_SLOT)
    assert.ok(run)
    assert.deepEqual([chain.status, run.status, lease], ['running', 'queued', null])
    const waits = async (id: string) =>
      (await store.events(id, 0, 9)).map(({ type, json }) => [type, JSON.parse(json).words])
    assert.deepEqual(await waits(run.id), [['queued', waitWords(NO_SLOT)]])
    await store.requestCancel(run.id, 2_000)
    const held = await store.startChain(sampleChain(), LEASE_MS)
    assert.ok(held.run && held.lease)
    await store.startRun(held.lease, sampleStart(held.run.id))
    const { failure } = sampleFailure(held.run)
    const broken = { status: 'interrupted', failure, answer: null } as const
    await store.endRun(held.lease, sampleEnd(held.run, broken))
    const { id } = held.run
    const supervise: Supervise = facts => {
      const step = continueTier(facts, id)
      return { step, next: turnFor(step, held.chain, { parentRunId: id, attempt: 2 }) }
    }
    const how = { from: 'broken-off', after: id, supervise, at: 5_000, noSlot: NO_SLOT } as const
    const { run: next } = await store.resumeChain(held.chain.id, how)
    assert.deepEqual(await waits(next?.id ?? ''), [['queued', waitWords(NO_SLOT)]])
  }),

  storeCase('M-2 sums runs, time and asked verdicts of a chain and of its tier', async store => {
    const chain = sampleChain({ createdAt: 1_000 })
    const { run, lease } = await store.startChain(chain, LEASE_MS)
    assert.ok(run && lease)
    await store.startRun(lease, sampleStart(run.id))
    const ask: Supervise = facts => {
      assert.deepEqual(facts.spent.tier, { usd: 0.25, tokens: 15, runs: 1, wallClockMs: 2_000 })
      const because = { code: 'verdict-malformed', tier: 1, problem: 'none' } as const
      const step = { kind: 'ask-verdict', tier: 1, because } as const
      const thread = { id: chain.id, threadId: chain.thread.id }
      return { step, next: turnFor(step, thread, { parentRunId: run.id }) }
    }
    await store.endRun(lease, sampleEnd(run, { supervise: ask }))
    const second = (await store.runsOfChain(chain.id)).at(-1)
    assert.ok(second)
    await store.startRun(lease, sampleStart(second.id))
    let checked = false
    const end: Supervise = facts => {
      checked = true
      assert.equal(facts.verdictsAsked, 1)
      assert.deepEqual([facts.spent.chain.runs, facts.spent.chain.usd], [2, 0.5])
      assert.equal(facts.spent.chain.wallClockMs, 8_000)
      assert.equal(facts.spent.tier.wallClockMs, 8_000)
      return resolve(facts)
    }
    await store.endRun(lease, sampleEnd(second, { endedAt: 9_000, supervise: end }))
    assert.ok(checked)
  }),

  storeCase(
    'I9 a chain whose last run nobody supervised is over, though the run went well',
    async store => {
      const { chain, run, lease } = await store.startChain(sampleChain(), LEASE_MS)
      assert.ok(run && lease)
      await store.startRun(lease, sampleStart(run.id))
      await store.endRun(lease, sampleEnd(run))
      const after = await store.chain(chain.id)
      assert.deepEqual([after?.status, after?.because.code], ['failed', 'run-interrupted'])
      assert.equal(after?.endedAt, 3_000)
    },
  ),

  storeCase('E-2 says why a chain cannot go on', async store => {
    const { chain, run, lease } = await store.startChain(sampleChain(), LEASE_MS)
    assert.ok(run && lease)
    const asked = { after: run.id, supervise: resolve, at: 5_000 }
    const resume = (from: 'held' | 'broken-off', id = chain.id) =>
      store.resumeChain(id, { ...asked, from })
    await refusesWith('not-found', () => resume('held', 'chn_none'), 'chn_none')
    await refusesWith('conflict', () => resume('held'), 'only one that is held can be approved')
    await store.startRun(lease, sampleStart(run.id))
    await store.endRun(lease, sampleEnd(run, { supervise: resolve }))
    const words = `${chain.id} is resolved: only one that was broken off can be continued`
    await refusesWith('conflict', () => resume('broken-off'), words)
    assert.equal(await store.chain('chn_none'), null)
  }),
]
