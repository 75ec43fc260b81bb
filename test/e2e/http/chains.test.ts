import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROUTES } from '../../../src/daemon/contract/routes/routes.ts'
import type { FakeScript } from '../../../src/testing/index.ts'
import { opsPolicy } from '../../scenarios/chains/chains.ts'
import { httpWorld } from './http-world.ts'

const says = (verdict: string, summary: string) => ({
  type: 'verdict' as const,
  output: { verdict, summary },
})

const SCRIPT: FakeScript = [
  { when: 'still operate as tier 1', do: [says('resolved', 'once more')] },
  { when: 'break off', do: [{ type: 'exit', code: 1, withoutResult: true }] },
  ...[1, 2, 3].map(tier => ({
    when: `tier ${tier} of 3`,
    do: [says(tier < 3 ? 'escalate' : 'resolved', `tier ${tier}`)],
  })),
]

let world: Awaited<ReturnType<typeof httpWorld>>
beforeAll(async () => {
  const listPolicies = async () => [
    { name: 'ops', policy: opsPolicy() },
    { name: 'torn', problem: 'there is no policy file /etc/torn.yaml' },
  ]
  world = await httpWorld({ script: SCRIPT, listPolicies })
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

test('M-4 a chain has a price before it is started, which any reader may ask for', async () => {
  const before = (await world.call('GET', '/api/chains?limit=200')).body.items.length
  const { status, body: preview } = await world.call('POST', '/api/chains/preview', body)
  expect(status).toBe(200)
  const schema = ROUTES.previewChain.responses[200].content['application/json'].schema
  expect(schema.parse(preview)).toEqual(preview)
  expect(preview).toMatchObject({ policy: 'ops', tiers: [{ tier: 1 }, { tier: 2 }, { tier: 3 }] })
  expect(preview.tiers[2].upToHereUsd).toBeGreaterThan(preview.tiers[1].upToHereUsd)
  expect((await world.call('GET', '/api/chains?limit=200')).body.items).toHaveLength(before)
  const bad = await world.call('POST', '/api/chains/preview', { ...body, maxTier: 9 })
  expect([bad.status, bad.body.error.code]).toEqual([400, 'bad-input'])
})

test('M-4 E-9 the next tier of a held chain has a price before a person lets the chain in; any other chain has none', async () => {
  const [first, second, ...higher] = policy.tiers
  const tiers = [first, { ...second, approval: 'ask' }, ...higher]
  const asking = { ...body, policy: { ...policy, tiers } }
  const { body: started } = await world.call('POST', '/api/chains', asking)
  expect((await ended(started.id)).status).toBe('held')
  const path = `/api/chains/${started.id}/next-tier`
  const { status, body: next } = await world.call('GET', path)
  expect(status).toBe(200)
  const { schema } = ROUTES.previewNextTier.responses[200].content['application/json']
  expect(schema.parse(next)).toEqual(next)
  expect(next).toMatchObject({ tier: 2, ways: [{ isChosen: true }, { isChosen: false }] })
  const { body: cancelled } = await world.call('POST', `/api/chains/${started.id}/cancel`, {})
  expect(cancelled.status).toBe('cancelled')
  const refused = await world.call('GET', path)
  expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict'])
})

test('M-4 M-2 the next tier of a chain whose budget is spent has no price: nobody can let the chain in', async () => {
  const { body: started } = await world.call('POST', '/api/chains', { ...body, budgetUsd: 0.0001 })
  expect((await ended(started.id)).status).toBe('held')
  const { status, body: refused } = await world.call('GET', `/api/chains/${started.id}/next-tier`)
  expect([status, refused.error.code]).toEqual([409, 'conflict'])
  expect(refused.error.message).toContain('budget')
})

test('E-1 the policies that chains can be started with are listed, also those that cannot be used', async () => {
  const { status, body } = await world.call('GET', '/api/policies')
  expect(status).toBe(200)
  const route = ROUTES.listPolicies.responses[200].content['application/json']
  expect(route.schema.parse(body)).toEqual(body)
  expect(body.items).toMatchObject([
    {
      name: 'ops',
      maxTier: 3,
      problem: null,
      tiers: [{ number: 1 }, { number: 2 }, { number: 3 }],
    },
    { name: 'torn', tiers: [], problem: 'there is no policy file /etc/torn.yaml' },
  ])
})

test('E-2 a chain that was broken off goes on over HTTP, once; every other is a conflict with a hint', async () => {
  const started = await world.call('POST', '/api/chains', { ...body, prompt: 'break off' })
  const { id } = started.body
  expect(await ended(id)).toMatchObject({ status: 'failed', because: { code: 'run-interrupted' } })
  const path = `/api/chains/${id}/continue`
  const both = await Promise.all([1, 2].map(() => world.call('POST', path, {})))
  expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409])
  const refused = both.find(({ status }) => status === 409)
  expect(refused?.body.error).toMatchObject({ code: 'conflict', hint: expect.stringMatching(/./) })
  const done = await ended(id)
  expect(done).toMatchObject({ status: 'resolved', tier: 1 })
  expect(done.runs).toMatchObject([{ attempt: 1 }, { attempt: 2, parentRunId: done.runs[0].id }])
  const over = await world.call('POST', path, {})
  expect(over).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  expect((await world.call('POST', '/api/chains/chn_nobody/continue', {})).status).toBe(404)
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
