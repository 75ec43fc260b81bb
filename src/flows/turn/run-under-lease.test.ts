// A turn holds the lease of its thread while it runs: it renews it, sees requests to cancel, and stops when it has lost it.
import { expect, test } from 'vitest'
import { eventually, type ProcessOptions, processes } from '../../../test/simulated/processes.ts'
import { RepriseError } from '../../errors.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'

const RENEW_MS = 1_000
const LEASE_MS = 30_000
const TIMING = { leaseMs: LEASE_MS, renewMs: RENEW_MS, queuePollMs: 1, eventBatchMs: 1 }
const HANGS: FakeScript = [
  { when: 'work', do: [{ type: 'text', text: 'half' }, { type: 'hang' }] },
  { when: 'wait', do: [{ type: 'waitForFile', path: '/go', reached: '/waits' }] },
]

type Renewal = ProcessOptions['store']

/** A turn whose agent works, in a process whose renewals the test sees. */
async function working(prompt: string, store?: Renewal) {
  const world = await processes(HANGS)
  const { reprise, ...process } = world.open({ timing: TIMING, ...(store && { store }) })
  const thread = await reprise.threads.create({ workDir: '/project' })
  const turn = thread.send(prompt)
  const { runId } = await turn.submitted
  await eventually(() => world.runner.running).toEqual([runId])
  return { world, reprise, thread, turn, runId, ...process }
}

function counting(renewals: number[], failAt = 0, error?: Error): Renewal {
  return store => ({
    ...store,
    renewLease: async (lease, leaseMs) => {
      renewals.push(leaseMs)
      if (error && renewals.length === failAt) throw error
      return store.renewLease(lease, leaseMs)
    },
  })
}

/** Lets time pass until the turn has renewed its lease so often. */
async function renewedTimes(
  { clock }: Awaited<ReturnType<typeof processes>>,
  renewals: readonly number[],
  times: number,
): Promise<void> {
  await eventually(() => {
    clock.pass(RENEW_MS)
    return renewals.length
  }).toBeGreaterThanOrEqual(times)
}

test('V-4 a turn renews its lease while it runs, and not after its end', async () => {
  const renewals: number[] = []
  const { world, turn } = await working('wait', counting(renewals))
  world.clock.pass(RENEW_MS - 1)
  await world.store.openRuns()
  expect(renewals).toEqual([])
  await renewedTimes(world, renewals, 3)
  expect(new Set(renewals)).toEqual(new Set([LEASE_MS]))
  await world.files.write('/go', '')
  expect((await turn.result).run.status).toBe('completed')
  const before = renewals.length
  for (const _ of [1, 2, 3]) world.clock.pass(RENEW_MS)
  await world.store.openRuns()
  expect(renewals.length).toBe(before)
})

test('V-4 a turn that another process cancels stops at its next look', async () => {
  const { world, turn, runId } = await working('work')
  const { reprise: other } = world.open()
  await other.runs.cancel(runId)
  world.clock.pass(RENEW_MS)
  const { run } = await turn.result
  expect(run).toMatchObject({ status: 'cancelled', failure: { class: 'cancelled' } })
  expect(world.runner.running).toEqual([])
})

test('U-4 a store that cannot be written for a moment does not end the turn: it renews later', async () => {
  const renewals: number[] = []
  const full = new RepriseError('store-full', 'no space', 'make room')
  const { world, turn } = await working('wait', counting(renewals, 1, full))
  await renewedTimes(world, renewals, 2)
  await world.files.write('/go', '')
  expect((await turn.result).run.status).toBe('completed')
})

test('V-4 I2 a turn whose lease somebody else has stops its agent, and changes nothing that the other one wrote', async () => {
  const renewals: number[] = []
  const { world, turn, runId } = await working('work', counting(renewals))
  const ended = turn.result.catch((error: unknown) => error)
  const found = (await world.store.openRuns()).find(({ run }) => run.id === runId)
  if (!found) throw new Error('the run is open')
  const other = { host: 'elsewhere', pid: 1, startTime: '0' }
  const lease = await world.store.takeOver(runId, found.owner, other, LEASE_MS)
  expect(lease).not.toBeNull()
  world.clock.pass(RENEW_MS)
  await eventually(() => world.runner.running).toEqual([])
  await ended
  expect(await world.store.run(runId)).toMatchObject({ status: 'running', endedAt: null })
  for (const _ of [1, 2]) world.clock.pass(RENEW_MS)
  expect(renewals).toHaveLength(1)
})
