// Scenarios of chains that were broken off in the middle of a tier: a person lets the same tier go on, nobody else does.
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Chain } from '../../../src/index.ts'
import { type Act, appears, call, getStuck, verdict } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { expectInOrder } from '../threads/continuing.ts'
import { escalate, opsPolicy } from './chains.ts'

const look = (says: string) => call('Bash', { command: `echo ${says}`, description: 'look' }, says)

export function brokenChainScenarios(world: () => Harness): void {
  let stuckAt = 0

  /** A chain whose agent is killed in the middle of a call, after all that is planned before. */
  const brokenOff = async (before: readonly (readonly Act[])[]): Promise<Chain> => {
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

  const goOn = async (chain: Chain, ...tiers: readonly (readonly Act[])[]) => {
    for (const acts of tiers) world().model.plan(acts)
    return world().reprise.chains.continue(chain.id).result
  }

  test('E-2 J-2 F-3 a tier that was broken off goes on in its own session; its prompt says what happened and what may have run, and the chain goes on', async () => {
    const broken = await brokenOff([[look('web-is-down'), escalate()], [look('half-done')]])
    const done = await goOn(broken, [escalate()], [verdict('resolved')])
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

  test('E-6 a tier that was broken off and whose session is lost goes on with a handover note', async () => {
    const broken = await brokenOff([[look('disk-is-full')]])
    rmSync(world().sessionFile(broken.runs[0]?.sessionId ?? ''))
    world().loseCopies()
    const done = await goOn(broken, [verdict('resolved')])
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
