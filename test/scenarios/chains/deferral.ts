// Scenarios of calls above a tier: parked for the next one, which begins with them.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, call, fake, say, verdict } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { expectInOrder } from '../threads/continuing.ts'
import { opsPolicy } from './chains.ts'

/** A command that tier 2 may run, and tier 1 may not. */
function touch(file: string, fails?: 'denied'): Act {
  const input = { command: `gh pr create --fill >> ${file}`, description: 'open it' }
  return { ...call('Bash', input, '', fails), appends: { file, line: 'opened-a-request' } }
}

export function deferralScenarios(world: () => Harness): void {
  const marks = () => world().path('deferred-marks')

  test.each(['auto', 'ask'] as const)(
    'E-10 a call above the tier is parked and shown; the next tier (%s) begins with that very call, then gets its prompt',
    async approval => {
      rmSync(marks(), { force: true })
      const bin = world().path('bin')
      mkdirSync(bin, { recursive: true })
      writeFileSync(join(bin, 'gh'), '#!/bin/sh\necho opened-a-request\n', { mode: 0o755 })
      await world().restart({ agentEnv: { PATH: `${bin}:${process.env.PATH}` } })
      const policy = opsPolicy({ whenForbidden: 'defer' })
      const tiers = policy.tiers.map((tier, at) => (at === 1 ? { ...tier, approval } : tier))
      world().model.plan([touch(marks())])
      world().model.plan([say('the request is open'), verdict('resolved'), verdict('resolved')])
      const start = { policy: { ...policy, tiers }, prompt: 'fix it', workDir: world().workDir }
      let done = await world().reprise.chains.start(start).result
      if (approval === 'ask') {
        expect(done).toMatchObject({ status: 'held', because: { code: 'approval-needed' } })
        expect(existsSync(marks())).toBe(false)
        done = await world().reprise.chains.approve(done.id).result
      }
      await world().restart()
      expect(done).toMatchObject({ status: 'resolved', tier: 2 })
      const [parked, next] = done.runs
      expect(parked?.verdict).toMatchObject({
        verdict: 'escalate',
        reason: expect.stringContaining('gh pr create'),
      })
      expect(readFileSync(marks(), 'utf8')).toBe('opened-a-request\n')
      expect(next).toMatchObject({ decision: { action: 'fork' }, status: 'completed' })
      const events = await world().reprise.runs.events(next?.id ?? '')
      const kinds = events.flatMap(({ type }) =>
        ['tool', 'tool-result'].includes(type) ? type : [],
      )
      expect(kinds).toEqual(['tool', 'tool-result'])
      const saw = (await world().model.saw(next?.id ?? '')).join('\n')
      expectInOrder(saw, ['gh pr create', 'tier 2 of 3'])
      for (const run of done.runs) {
        expect(run.costUsd).toBeCloseTo(world().model.bill(run).costUsd, 6)
      }
      world().model.reset()
    },
  )

  test('E-10 E-5 what no higher tier of the chain may do is refused, not parked', async () => {
    rmSync(marks(), { force: true })
    world().model.plan([touch(marks(), 'denied'), verdict('failed')])
    const policy = opsPolicy({ whenForbidden: 'defer' })
    const { workDir } = world()
    const run = world().reprise.chains.start({ policy, prompt: 'x', workDir, maxTier: 1 })
    const done = await run.result
    expect(done).toMatchObject({ status: 'failed', because: { code: 'agent-failed' } })
    expect(existsSync(marks())).toBe(false)
  })
}

/** Only the fake agent can be killed at a moment that its model does not see. */
export function brokenDeferralScenarios(world: () => Harness): void {
  const marks = () => world().path('deferred-marks')

  test('E-10 F-3 a tier that is broken off after the parked call ran goes on without running it again', async () => {
    rmSync(marks(), { force: true })
    world().model.plan([touch(marks())])
    // Before it gets to its prompt.
    world().model.plan([fake({ type: 'killSelf', signal: 'SIGKILL' }), verdict('resolved')])
    const policy = opsPolicy({ whenForbidden: 'defer' })
    const { workDir } = world()
    const broken = await world().reprise.chains.start({ policy, prompt: 'fix it', workDir }).result
    expect(broken).toMatchObject({ tier: 2, because: { code: 'run-interrupted', tier: 2 } })
    world().model.plan([verdict('resolved')])
    const done = await world().reprise.chains.continue(broken.id).result
    expect(done).toMatchObject({ status: 'resolved', tier: 2 })
    expect(done.runs[2]?.decision).toMatchObject({ action: 'handover' })
    expect(readFileSync(marks(), 'utf8')).toBe('opened-a-request\n')
    const saw = (await world().model.saw(done.runs[2]?.id ?? '')).join('\n')
    expectInOrder(saw, ['fix it', 'gh pr create', 'was interrupted'])
  })
}
