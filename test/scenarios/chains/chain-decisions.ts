// Scenarios of chains whose outcome Reprise decides alone: the agent gets a prompt, as in all other scenarios.
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ChainOptions } from '../../../src/index.ts'
import { type Act, verdict } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { expectInOrder } from '../threads/continuing.ts'
import { breaking, goOn } from './broken-chains.ts'
import { escalate, heldBetweenTiers, look, opsPolicy, runChain } from './chains.ts'

export function chainDecisionScenarios(world: () => Harness): void {
  const brokenOff = breaking(world)
  const chain = (tiers: readonly (readonly Act[])[], options?: Partial<ChainOptions>) =>
    runChain(world(), tiers, options)

  test('E-6 D-3 a session file that is missing means a handover note, without asking the agent', async () => {
    for (const acts of [[look('x'), escalate()], [verdict('resolved')]]) world().model.plan(acts)
    const spawns = world().spawns
    const { chains } = world().reprise
    const policy = heldBetweenTiers()
    const held = await chains.start({ policy, prompt: 'check', workDir: world().workDir }).result
    rmSync(world().sessionFile(held.runs[0]?.sessionId ?? ''))
    await world().loseCopies()
    const done = await chains.approve(held.id).result
    expect(world().spawns - spawns).toBe(2)
    expect(done.runs[1]?.decision).toMatchObject({
      action: 'handover',
      reason: { code: 'file-missing' },
    })
  })

  test('D-6 a session over the threshold of the policy means a handover note; the threshold is on record', async () => {
    const tight = opsPolicy({ contextThreshold: 0.001 })
    const { chain: done } = await chain([[escalate()], [verdict('resolved')]], { policy: tight })
    expect(done.runs[1]).toMatchObject({
      decision: { action: 'handover', reason: { code: 'context-full', threshold: 0.001 } },
      resumeSettings: { contextThreshold: 0.001 },
    })
    await world().restart({ environment: { CLAUDEOPS_RESUME_CONTEXT_THRESHOLD: '0.7' } })
    const roomy = await chain([[escalate()], [verdict('resolved')]], { policy: tight })
    expect(roomy.chain.runs[1]).toMatchObject({
      decision: { action: 'fork' },
      resumeSettings: { contextThreshold: 0.7 },
    })
    await world().restart()
  })

  test('E-2 the ceiling of a chain, and what it is called when there is no higher tier', async () => {
    const { chain: low } = await chain([[escalate()]], { maxTier: 1 })
    expect(low).toMatchObject({
      status: 'exhausted',
      tier: 1,
      maxTier: 1,
      because: { code: 'no-higher-tier', tier: 1, ceiling: 1 },
    })
    expect(low.runs).toHaveLength(1)
  })

  test('E-2 S19 a tier that asks for a person holds the chain until one lets it in, after a restart too', async () => {
    const policy = opsPolicy()
    const tiers = policy.tiers.map((tier, at) =>
      at === 1 ? { ...tier, approval: 'ask' as const } : tier,
    )
    const { chain: held } = await chain([[look('x'), escalate()]], { policy: { ...policy, tiers } })
    expect(held).toMatchObject({
      status: 'held',
      tier: 1,
      because: { code: 'approval-needed', tier: 2 },
    })
    await world().restart()
    world().model.plan([verdict('resolved')])
    const done = await world().reprise.chains.approve(held.id).result
    expect(done).toMatchObject({ status: 'resolved', tier: 2 })
    expect(done.runs[1]).toMatchObject({
      parentRunId: held.runs[0]?.id,
      decision: { action: 'fork' },
    })
    const again = world().reprise.chains.approve(held.id).result
    await expect(again).rejects.toEqual(expect.objectContaining({ code: 'conflict' }))
  })

  test('E-1 E-13 a dry run goes through the tiers with those tools of the first that only look', async () => {
    const { chain: dry } = await chain([[escalate()], [verdict('resolved')]], { dryRun: true })
    expect(dry).toMatchObject({ status: 'resolved', dryRun: true })
    const second = dry.runs[1]
    expect(second).toMatchObject({ permissionMode: 'dontAsk', trust: 'none' })
    for (const tool of ['Bash', 'Write', 'Edit', 'WebFetch', 'Bash(rm:*)']) {
      expect(second?.allowedTools).not.toContain(tool)
    }
    for (const tool of ['Read', 'Grep', 'Task', 'Bash(ls:*)', 'Bash(docker ps:*)']) {
      expect(second?.allowedTools).toContain(tool)
    }
    expect((await world().model.saw(second?.id ?? '')).join()).toContain('Dry run: yes')
  })

  test('E-6 a tier that was broken off and whose session is lost goes on with a handover note', async () => {
    const broken = await brokenOff([[look('disk-is-full')]])
    rmSync(world().sessionFile(broken.runs[0]?.sessionId ?? ''))
    await world().loseCopies()
    const done = await goOn(world(), broken, [verdict('resolved')])
    expect(done).toMatchObject({ status: 'resolved', tier: 1 })
    const second = done.runs[1]
    expect(second?.decision).toMatchObject({
      action: 'handover',
      reason: { code: 'file-missing' },
    })
    const [prompt = ''] = await world().model.saw(second?.id ?? '')
    expectInOrder(prompt, ['check it', 'disk-is-full', 'was interrupted', 'sleep 600'])
  })

  test('E-2 only a chain that was broken off goes on so, and only once', async () => {
    const conflict = expect.objectContaining({ code: 'conflict' })
    const broken = await brokenOff([[]])
    await world().restart()
    world().model.plan([verdict('resolved')])
    const both = await Promise.allSettled(
      [1, 2].map(() => world().reprise.chains.continue(broken.id).result),
    )
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: conflict })
    const done = await world().reprise.chains.get(broken.id)
    expect(done).toMatchObject({ status: 'resolved' })
    expect(done.runs).toHaveLength(2)
    await expect(world().reprise.chains.continue(broken.id).result).rejects.toEqual(conflict)
  })
}
