// Scenarios of what holds a chain: budgets, cooldowns, schedules. On the fake agent, whose bills can be made to measure.
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { NO_BUDGET } from '../../../src/core/money/budget.ts'
import { NO_USAGE } from '../../../src/core/run/events.ts'
import { type Chain, claudeCode, createReprise } from '../../../src/index.ts'
import { type Act, call, fake, say, verdict } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { expectInOrder } from '../threads/continuing.ts'
import { escalate, opsPolicy } from './chains.ts'

/** A request that costs so much at the prices of Haiku ($5 a million tokens said). */
const costs = (usd: number): Act =>
  fake({ type: 'billed', usage: { ...NO_USAGE, outputTokens: usd * 200_000 } })

const look = call('Bash', { command: 'uptime' }, 'up')

/** All tiers on the cheapest model, so that a bill is easy to read. */
function cheapPolicy() {
  const policy = opsPolicy()
  const tiers = policy.tiers.map(tier => ({ ...tier, model: 'claude-haiku-4-5' }))
  return { ...policy, tiers }
}

export function chainLimitScenarios(world: () => Harness): void {
  const chain = (tiers: readonly (readonly Act[])[], more: object = {}) => {
    for (const acts of tiers) world().model.plan(acts)
    const { workDir } = world()
    return world().reprise.chains.start({
      policy: cheapPolicy(),
      prompt: 'check',
      workDir,
      ...more,
    })
  }

  const noticesOf = async (runId: string) =>
    (await world().reprise.runs.events(runId)).flatMap(event =>
      event.type === 'notice' ? event : [],
    )

  test.each([
    ['named no session', [fake({ type: 'noInit' }), fake({ type: 'noPersistence' })]],
    ['saved nothing', [fake({ type: 'noPersistence' })]],
  ] as const)(
    'E-6 C-6 an agent that %s: the log warns, and the next tier begins with a note',
    async (_, how) => {
      const done = await chain([[...how, look, escalate()], [verdict('resolved')]]).result
      expect(done.status).toBe('resolved')
      const notices = await noticesOf(done.runs[1]?.id ?? '')
      expect(notices).toEqual([expect.objectContaining({ code: 'handover' })])
      expect(done.runs[1]).toMatchObject({
        decision: { action: 'handover', reason: { code: 'session-retired' } },
        handoverNote: { tiers: [{ tier: 1, verdict: 'escalate', tools: [{ result: 'up' }] }] },
      })
    },
  )

  test('C-6 an agent that names no session is warned about with the details of its run', async () => {
    const acts = [fake({ type: 'noInit' }), fake({ type: 'noPersistence' }), verdict('resolved')]
    const [run] = (await chain([acts]).result).runs
    const notices = await noticesOf(run?.id ?? '')
    expect(notices).toEqual([
      expect.objectContaining({ text: expect.stringContaining(run?.id ?? 'its run') }),
    ])
  })

  test.each([
    [15_000, {}, 'fork'],
    [150_000, {}, 'fork'],
    [170_000, {}, 'handover'],
    [150_000, { CLAUDEOPS_RESUME_CONTEXT_THRESHOLD: '0.70' }, 'handover'],
  ] as const)(
    'D-6 a session of %i of 200,000 tokens with %j: the next tier begins with a %s, and the threshold is on record',
    async (tokens, environment, action) => {
      await world().restart({ environment })
      const used = fake({ type: 'billed', usage: { ...NO_USAGE, cacheReadTokens: tokens } })
      const done = await chain([[used, escalate()], [verdict('resolved')]]).result
      await world().restart()
      const contextThreshold = 'CLAUDEOPS_RESUME_CONTEXT_THRESHOLD' in environment ? 0.7 : 0.8
      expect(done.runs[1]).toMatchObject({
        decision: { action },
        resumeSettings: { contextThreshold },
      })
      const notices = await noticesOf(done.runs[1]?.id ?? '')
      const why = { code: 'handover', text: expect.stringContaining(`${contextThreshold * 100}`) }
      expect(notices).toMatchObject(action === 'handover' ? [why] : [])
    },
  )

  test('D-6 the long window of a tier that never ran is known: no needless handover on a version that has it', async () => {
    const policy = cheapPolicy()
    const tiers = policy.tiers.map((tier, at) => (at === 1 ? { ...tier, model: 'opus' } : tier))
    const used = fake({ type: 'billed', usage: { ...NO_USAGE, cacheReadTokens: 170_000 } })
    const acts = [[used, escalate()], [verdict('resolved')]]
    const done = await chain(acts, { policy: { ...policy, tiers } }).result
    const isOld = world().kind === 'fake 2.1.197'
    expect(done.runs[0]?.contextWindow).toBe(200_000)
    expect(done.runs[1]?.facts?.contextWindow).toBe(isOld ? 200_000 : 1_000_000)
    expect(done.runs[1]?.decision?.action).toBe(isOld ? 'handover' : 'fork')
  })

  test('E-6 D-3 another version of the program between two tiers: the next one begins with a note', async () => {
    const policy = cheapPolicy()
    const approval = 'ask' as const
    const tiers = policy.tiers.map((tier, at) => (at === 1 ? { ...tier, approval } : tier))
    const held = await chain([[look, escalate()]], { policy: { ...policy, tiers } }).result
    await world().restart({ program: 'other-version' })
    world().model.plan([verdict('resolved')])
    const done = await world().reprise.chains.approve(held.id).result
    await world().restart()
    expect(done.runs[1]?.decision).toMatchObject({
      action: 'handover',
      reason: { code: 'runtime-changed' },
    })
  })

  test('M-2 a chain stops at 100 % of its budget, over all its tiers, and is held', async () => {
    const run = chain(
      [
        [costs(0.03), escalate()],
        [costs(0.03), look, look, escalate()],
      ],
      {
        budgetUsd: 0.05,
      },
    )
    const done = await run.result
    expect(done).toMatchObject({
      status: 'held',
      tier: 2,
      because: { code: 'budget-spent', of: 'chain', kind: 'usd', limit: 0.05 },
    })
    expect(done.runs[1]).toMatchObject({ status: 'failed', failure: { class: 'budget' } })
    expect(done.totals.costUsd).toBeGreaterThanOrEqual(0.06)
    world().model.reset()
  })

  test('M-2 a budget that is spent when a tier ends lets no other tier begin', async () => {
    const done = await chain([[costs(0.049), escalate()], [escalate()]], { budgetUsd: 0.049 })
      .result
    expect(done.status).toBe('held')
    expect(done.runs).toHaveLength(1)
    world().model.reset()
  })

  test('M-2 at 80 % there is a warning, and the chain goes on', async () => {
    const run = chain([[look, costs(0.045), verdict('resolved')]], { budgetUsd: 0.055 })
    const notices: string[] = []
    for await (const event of run) {
      if (event.type === 'notice' && event.code === 'budget-near') notices.push(event.text)
    }
    expect((await run.result).status).toBe('resolved')
    expect(notices).toEqual([expect.stringContaining('of the chain is nearly spent: $0.0')])
  })

  /** A chain whose agent dies by itself in its last run. */
  const brokenOff = async (tiers: readonly (readonly Act[])[], more: object = {}) => {
    const last = [...(tiers.at(-1) ?? []), fake({ type: 'killSelf', signal: 'SIGKILL' })]
    const broken = await chain([...tiers.slice(0, -1), last], more).result
    expect(broken).toMatchObject({ status: 'failed', because: { code: 'run-interrupted' } })
    return broken
  }

  test('M-2 E-2 a chain that was broken off does not go on when its budget is spent, and stays as it is', async () => {
    const policy = { ...cheapPolicy(), budget: { ...NO_BUDGET, runs: 1 } }
    const broken = await brokenOff([[look]], { policy })
    const going = world().reprise.chains.continue(broken.id).result
    await expect(going).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('budget of the chain is spent'),
    })
    expect(await world().reprise.chains.get(broken.id)).toEqual(broken)
  })

  test('E-9 E-2 a tier that goes on is not entered again: its cooldown is not in the way, and runs from its first entry', async () => {
    const policy = { ...cheapPolicy(), name: 'resting' }
    const tiers = policy.tiers.map((tier, at) => ({ ...tier, cooldownMs: at === 1 ? 60_000 : 0 }))
    const broken = await brokenOff([[escalate()], [look]], { policy: { ...policy, tiers } })
    world().model.plan([verdict('resolved')])
    const done = await world().reprise.chains.continue(broken.id).result
    expect(done).toMatchObject({ status: 'resolved', tier: 2 })
    const next = await chain([[escalate()]], { policy: { ...policy, tiers } }).result
    expect(next.because).toMatchObject({
      code: 'tier-cooling',
      lastEnteredAt: done.runs[1]?.queuedAt,
    })
  })

  test('E-3 E-2 a tier whose session was never saved goes on in another fork of the one below, which stays as it is', async () => {
    const nothingSaved = [fake({ type: 'noPersistence' })]
    const broken = await brokenOff([[look, escalate()], nothingSaved])
    const below = world().sessionFile(broken.runs[0]?.sessionId ?? '')
    const before = readFileSync(below, 'utf8')
    world().model.plan([verdict('resolved')])
    const done = await world().reprise.chains.continue(broken.id).result
    expect(done.runs[2]).toMatchObject({
      tier: 2,
      attempt: 2,
      decision: { action: 'fork', session: { sessionId: done.runs[0]?.sessionId } },
    })
    expect(readFileSync(below, 'utf8')).toBe(before)
    const saw = (await world().model.saw(done.runs[2]?.id ?? '')).join('\n')
    expectInOrder(saw, ['check', 'uptime', 'You now operate as tier 2', 'You still operate'])
  })

  test('E-2 a malformed verdict is asked for once more also in a tier that goes on', async () => {
    const broken = await brokenOff([[look]])
    for (const acts of [[say('hm')], [verdict('resolved')]]) world().model.plan(acts)
    const done = await world().reprise.chains.continue(broken.id).result
    expect(done).toMatchObject({ status: 'resolved' })
    expect(done.runs).toHaveLength(3)
  })

  test('M-2 the budget of a tier holds too', async () => {
    const policy = cheapPolicy()
    const tiers = policy.tiers.map(tier => ({ ...tier, budget: { ...tier.budget, usd: 0.01 } }))
    const done = await chain([[costs(0.02), look, escalate()]], { policy: { ...policy, tiers } })
      .result
    expect(done).toMatchObject({ status: 'held', because: { code: 'budget-spent', of: 'tier' } })
    world().model.reset()
  })

  test('E-9 a cooldown holds over chains and restarts, for its policy and its work dir alone', async () => {
    const policy = { ...cheapPolicy(), name: 'cooling' }
    const tiers = policy.tiers.map(tier => ({ ...tier, cooldownMs: 60_000 }))
    const cooling = { ...policy, tiers: [{ ...tiers[0], cooldownMs: 0 }, tiers[1], tiers[2]] }
    const options = { policy: cooling }
    const first = await chain([[escalate()], [verdict('resolved')]], options).result
    expect(first.status).toBe('resolved')
    await world().restart()
    const second = await chain([[escalate()]], options).result
    expect(second).toMatchObject({
      status: 'held',
      tier: 1,
      because: { code: 'tier-cooling', tier: 2, cooldownMs: 60_000 },
    })
    const other = await chain([[escalate()], [verdict('resolved')]], {
      policy: { ...cooling, name: 'another' },
    }).result
    expect(other.status).toBe('resolved')
  })

  test('E-9 a chain that may not even begin is held without a run', async () => {
    const policy = { ...cheapPolicy(), name: 'rare' }
    const tiers = policy.tiers.map(tier => ({ ...tier, cooldownMs: 60_000 }))
    await chain([[verdict('resolved')]], { policy: { ...policy, tiers } }).result
    const held = await chain([], { policy: { ...policy, tiers } }).result
    expect(held).toMatchObject({ status: 'held', tier: 0, runs: [], byTier: [] })
  })

  test('E-9 a schedule starts chains again and again; a cycle that would overlap is skipped; it outlives a restart', async () => {
    const gate = world().path('schedule-gate')
    world().model.plan([fake({ type: 'waitForFile', path: gate }), verdict('resolved')])
    world().model.plan([verdict('resolved')])
    const keeper = await openKeeper(world())
    const schedule = await keeper.schedules.create({
      policy: { ...cheapPolicy(), name: 'watch' },
      prompt: 'check',
      workDir: world().workDir,
      recurrence: { everyMs: 1_000 },
    })
    const skipped = async () =>
      (await world().reprise.schedules.list()).find(({ id }) => id === schedule.id)?.skipped ?? 0
    await until(async () => (await skipped()) > 0)
    expect(await chainsOf(world(), 'watch')).toHaveLength(1)
    writeFileSync(gate, '')
    await until(async () => (await chainsOf(world(), 'watch')).length >= 2)
    await keeper.close()
    const before = (await chainsOf(world(), 'watch')).length
    const again = await openKeeper(world())
    await again.agents()
    await until(async () => (await chainsOf(world(), 'watch')).length > before)
    await again.schedules.remove(schedule.id)
    await again.close()
    expect(await world().reprise.schedules.list()).toEqual([])
    for (const { scheduleId } of await chainsOf(world(), 'watch')) {
      expect(scheduleId).toBe(schedule.id)
    }
  })
}

function chainsOf(world: Harness, policy: string): Promise<readonly Chain[]> {
  return world.reprise.chains.list({ policy, limit: 100 })
}

async function openKeeper(world: Harness) {
  const executable = await world.programs.path('usual')
  return createReprise({
    store: world.store.open,
    agents: [claudeCode({ executable, env: { ...world.model.env, SCENARIO: world.root } })],
    dataDir: world.path('data'),
    keepQueue: true,
  })
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (await condition()) return
    await sleep(20)
  }
  throw new Error('it did not come to pass')
}
