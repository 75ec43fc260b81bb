// Scenarios of chains that were broken off in the middle of a tier: a person lets the same tier go on, nobody else does.
import { expect, test } from 'vitest'
import type { Chain } from '../../../src/index.ts'
import { type Act, appears, fail, getStuck, verdict } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { expectInOrder } from '../threads/continuing.ts'
import { escalate, look, opsPolicy } from './chains.ts'

/** Counts over all users of one world, so that none waits for the file of another. */
let stuckAt = 0

/** Runs chains whose agent is killed in the middle of a call, after all that is planned before. */
export function breaking(
  world: () => Harness,
): (before: readonly (readonly Act[])[]) => Promise<Chain> {
  return async before => {
    stuckAt += 1
    const reached = world().path(`stuck-${stuckAt}.reached`)
    const last = before.at(-1) ?? []
    for (const acts of before.slice(0, -1)) world().model.plan(acts)
    world().model.plan([...last, getStuck(reached)])
    const { workDir } = world()
    const chain = world().reprise.chains.start({ policy: opsPolicy(), prompt: 'check it', workDir })
    const { chainId } = await chain.submitted
    await appears(reached)
    const run = (await world().reprise.chains.get(chainId)).runs.at(-1)
    await world().killAgent(run?.id ?? '')
    const broken = await chain.result
    expect(broken).toMatchObject({
      status: 'failed',
      because: { code: 'run-interrupted', tier: before.length, class: 'agent-crashed' },
    })
    return broken
  }
}

export async function goOn(
  world: Harness,
  chain: Chain,
  ...tiers: readonly (readonly Act[])[]
): Promise<Chain> {
  for (const acts of tiers) world.model.plan(acts)
  return world.reprise.chains.continue(chain.id).result
}

export function brokenChainScenarios(world: () => Harness): void {
  const brokenOff = breaking(world)

  test('E-2 J-2 F-3 a tier that was broken off goes on in its own session; its prompt says what happened and what may have run, and the chain goes on', async () => {
    const broken = await brokenOff([[look('web-is-down'), escalate()], [look('half-done')]])
    const done = await goOn(world(), broken, [escalate()], [verdict('resolved')])
    expect(done).toMatchObject({ status: 'resolved', tier: 3 })
    expect(done.runs.map(({ tier, attempt }) => [tier, attempt])).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
      [3, 1],
    ])
    const [, first, second, third] = done.runs
    expect(second).toMatchObject({ parentRunId: first?.id, sessionId: first?.sessionId })
    expect(second?.decision).toMatchObject({ action: 'resume' })
    expect(second?.allowedTools).toEqual(opsPolicy().tiers[1]?.allowedTools)
    expect(third).toMatchObject({ parentRunId: second?.id, decision: { action: 'fork' } })
    const prompt = (await world().model.saw(second?.id ?? '')).at(-1) ?? ''
    expectInOrder(prompt, [
      'was interrupted: the agent process ended unexpectedly',
      'tier 2 of 3: safe remediation',
      'Authorised actions',
      'it is not known whether they took effect',
      'sleep 600',
      'do not start over',
      'your verdict',
    ])
    const everything = await world().model.everything(second?.id ?? '')
    expect(everything).toContain('web-is-down')
    expect(everything).toContain('half-done')
    for (const run of done.runs) {
      if (run.status !== 'completed') continue
      expect(run.costUsd).toBeCloseTo(world().model.bill(run).costUsd, 6)
    }
    expect(await world().reprise.verify()).toEqual([])
  })

  test('E-2 F-3 a tier whose model API failed goes on when that is over, and no tier below runs again', async () => {
    world().model.plan([look('web-is-down'), escalate()])
    world().model.plan([fail(401)])
    const { workDir } = world()
    const started = world().reprise.chains.start({ policy: opsPolicy(), prompt: 'check', workDir })
    const failed = await started.result
    expect(failed).toMatchObject({
      status: 'failed',
      because: { code: 'run-failed', tier: 2, class: 'auth' },
    })
    const done = await goOn(world(), failed, [verdict('resolved')])
    expect(done).toMatchObject({ status: 'resolved', tier: 2 })
    expect(done.runs.map(({ tier, attempt, status }) => [tier, attempt, status])).toEqual([
      [1, 1, 'completed'],
      [2, 1, 'failed'],
      [2, 2, 'completed'],
    ])
    const again = done.runs.at(-1)
    expect((await world().model.saw(again?.id ?? '')).at(-1)).toContain(
      'was interrupted: the model API did not accept the credentials',
    )
    expect(await world().model.everything(again?.id ?? '')).toContain('web-is-down')
    expect(await world().reprise.verify()).toEqual([])
  })
}
