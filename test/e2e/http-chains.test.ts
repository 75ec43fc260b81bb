import { afterAll, beforeAll, expect, test } from 'vitest'
import { opsPolicy } from '../scenarios/chains.ts'
import { httpWorld } from './http-world.ts'

const SCRIPT = [1, 2, 3].map(tier => ({
  when: `tier ${tier} of 3`,
  do: [
    {
      type: 'verdict' as const,
      output: { verdict: tier < 3 ? 'escalate' : 'resolved', summary: `tier ${tier}` },
    },
  ],
}))

let world: Awaited<ReturnType<typeof httpWorld>>
beforeAll(async () => {
  world = await httpWorld({ script: SCRIPT })
})
afterAll(() => world.reprise.close())

/** As a file says it: what is not limited is not said. */
const policy = JSON.parse(
  JSON.stringify(opsPolicy(), (_, value) => (value === null ? undefined : value)),
)
const body = { policy, prompt: 'check', workDir: '/project' }

async function ended(id: string) {
  for (;;) {
    const { body: chain } = await world.call('GET', `/api/chains/${id}`)
    if (chain.status !== 'running') return chain
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}

test('E-7 U-1 a chain is started over HTTP and seen whole, by its id and from each of its runs', async () => {
  const started = await world.call('POST', '/api/chains', body)
  expect(started.status).toBe(202)
  const done = await ended(started.body.id)
  expect(done).toMatchObject({ status: 'resolved', policy: 'ops', tier: 3 })
  expect(done.byTier.map((tier: { tier: number }) => tier.tier)).toEqual([1, 2, 3])
  for (const { id } of done.runs) {
    expect((await world.call('GET', `/api/runs/${id}/chain`)).body).toEqual(done)
  }
  const { body: runs } = await world.call('GET', `/api/runs?chain=${done.id}`)
  expect(runs.items).toHaveLength(3)
  const { body: list } = await world.call('GET', '/api/chains?status=resolved')
  expect(list.items[0]).toEqual(done)
  const { body: metrics } = await world.call('GET', '/metrics')
  expect(metrics).toContain('reprise_chains{status="resolved"} 1')
  expect(metrics).toMatch(/reprise_tier_cost_usd_total\{policy="ops",tier="3"\} 0\.\d+/)
  expect(world.faults).toEqual([])
})

test('I8 a chain asked for twice with one key is started once', async () => {
  const headers = { 'idempotency-key': 'chain-1' }
  const first = await world.call('POST', '/api/chains', body, headers)
  const again = await world.call('POST', '/api/chains', body, headers)
  expect(again.body.id).toBe(first.body.id)
  const other = await world.call('POST', '/api/chains', { ...body, maxTier: 1 }, headers)
  expect(other.status).toBe(409)
  await ended(first.body.id)
})

test.each([
  ['an unknown policy', { ...body, policy: 'nobody' }, 404],
  ['a policy that is a path', { ...body, policy: '/etc/passwd' }, 404],
  ['a ceiling over its tiers', { ...body, maxTier: 9 }, 400],
  ['a blank prompt', { ...body, prompt: ' ' }, 400],
  [
    'a wide mode',
    {
      ...body,
      policy: { ...policy, tiers: [{ ...policy.tiers[0], permissionMode: 'bypassPermissions' }] },
    },
    400,
  ],
  ['a field that nobody knows', { ...body, tier: 3 }, 400],
])('U-4 %s is refused with a hint', async (_, wanted, status) => {
  const answer = await world.call('POST', '/api/chains', wanted)
  expect(answer.status).toBe(status)
  expect(answer.body.error.hint).not.toBe('')
})

test('E-9 schedules are made, listed and removed', async () => {
  const made = await world.call('POST', '/api/schedules', {
    ...body,
    recurrence: { everyMs: 60_000 },
  })
  expect(made.status).toBe(201)
  const { body: list } = await world.call('GET', '/api/schedules')
  expect(list.items).toEqual([made.body])
  expect((await world.call('DELETE', `/api/schedules/${made.body.id}`)).status).toBe(204)
  expect((await world.call('DELETE', `/api/schedules/${made.body.id}`)).status).toBe(404)
})
