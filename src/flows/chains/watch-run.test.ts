// What an agent at work may call and spend, as tables: the fence of its tier, and the budgets of its chain and its tier.
import { describe, expect, test } from 'vitest'
import type { Mandate } from '../../core/chain/policy.ts'
import { NO_BUDGET } from '../../core/money/budget.ts'
import { newObservation } from '../../core/run/observe.ts'
import type { Run } from '../../core/run/run.ts'
import { readShell } from '../../shell/read-shell.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'
import { type RunWatch, together, watchDollars, watchRun } from './watch-run.ts'

const NOW = 1_000_000
const clock = { now: () => NOW } as never
const perToken = { inputUsd: 1, cacheReadUsd: 1, cacheWriteUsd: 1, outputUsd: 1 }
const AGENT = {
  name: 'claude-code',
  runtime: {},
  adapter: {
    tools: { aliases: [], shells: ['Bash'] },
    fence: {
      kind: 'rules',
      modes: ['dontAsk'],
      harmless: ['Think'],
      unasked: [],
      canGuard: () => true,
      dryRun: { mode: 'plan', tools: [] },
    },
    park: { canPark: () => true },
    money: { price: () => perToken },
  },
}
const agentWith = (adapter: object = {}) =>
  ({ ...AGENT, adapter: { ...AGENT.adapter, ...adapter } }) as never

const usage = (tokens: number) => ({
  inputTokens: tokens,
  cacheReadTokens: 10 * tokens,
  cacheWriteTokens: 100 * tokens,
  outputTokens: 1_000 * tokens,
})
const run = (id: string, tier: number, change: object = {}): Run =>
  ({ id, tier, queuedAt: NOW, startedAt: NOW, costUsd: 0, usage: usage(0), ...change }) as never
const RUN = run('now', 2)
const observed = (tokens: number) => {
  const observation = newObservation()
  const request = { requestId: 'r', model: 'm', usage: usage(tokens), main: true }
  observation.requests.set('r', request)
  return observation
}
const call = (name: string, id = 'call') =>
  ({ type: 'call-asked', requestId: 'r', id, name, input: '{}' }) as const
const tool = (name: string, id = 'call') =>
  ({ type: 'tool', id, name, input: '{}', parentId: null }) as const
const done = (id = 'call') =>
  ({ type: 'tool-result', id, isError: false, denied: false, text: 'done' }) as const

/** A tier that may read, below one that may write. */
function watchOf(
  change: Partial<Mandate> = {},
  more: {
    runs?: readonly Run[]
    tierBudget?: object
    adapter?: object
    run?: Run
    createdAt?: number
  } = {},
) {
  const base = sampleMandate()
  const tiers = base.policy.tiers.map((tier, at) => ({
    ...tier,
    allowedTools: at === 2 ? ['Read', 'Write'] : ['Read'],
    budget: { ...NO_BUDGET, ...more.tierBudget },
  }))
  const mandate = { ...base, policy: { ...base.policy, tiers }, ...change }
  const context = {
    chain: { agent: 'claude-code', mandate, createdAt: more.createdAt ?? NOW },
    tier: tiers[1],
    runs: more.runs ?? [RUN],
    purpose: { kind: 'chain', tier: 2 },
    readShell,
  }
  const watched = { run: more.run ?? RUN, agent: agentWith(more.adapter) }
  return watchRun({ clock }, context as never, watched)
}

const defers = (): Partial<Mandate> => {
  const base = sampleMandate()
  const tiers = base.policy.tiers.map((tier, at) => ({
    ...tier,
    allowedTools: at === 2 ? ['Read', 'Write'] : ['Read'],
  }))
  return { policy: { ...base.policy, tiers, whenForbidden: 'defer' } }
}

describe('E-5 a call that waits for our answer', () => {
  test('passes inside the fence, and is refused outside of it', () => {
    const watch = watchOf()
    expect(watch.rule?.(call('Read'))).toEqual({ kind: 'pass' })
    expect(watch.rule?.(call('Think'))).toEqual({ kind: 'pass' })
    expect(watch.rule?.(call('Write'))).toMatchObject({ kind: 'refuse' })
    expect(watch.stopped).toBeNull()
  })

  test('E-10 is parked when the next tier may make it, the policy says so and the agent can', () => {
    expect(watchOf(defers()).rule?.(call('Write'))).toEqual({ kind: 'park' })
    expect(watchOf(defers()).rule?.(call('Shred'))).toMatchObject({ kind: 'refuse' })
    const cannot = watchOf(defers(), { adapter: { park: { canPark: () => false } } })
    expect(cannot.rule?.(call('Write'))).toMatchObject({ kind: 'refuse' })
  })
})

describe('E-5 E-14 a call that ran', () => {
  const see = (watch: RunWatch, ...events: object[]) => {
    for (const event of events) watch.see(event as never, newObservation())
    return watch.stopped
  }

  test('outside the fence is a violation, which stays the reason', () => {
    const watch = watchOf()
    expect(see(watch, tool('Write'), done())).toEqual({
      class: 'policy-violation',
      message: expect.stringContaining('Write ran'),
      hint: 'Run `reprise chains show` to see what the agent did before anything else runs; nothing was repeated.',
    })
    const first = watch.stopped
    expect(see(watch, tool('Shred', 'other'), done('other'))).toBe(first)
  })

  test('inside the fence is none, nor one that we refused', () => {
    expect(see(watchOf(), tool('Read'), done())).toBeNull()
    const watch = watchOf()
    watch.rule?.(call('Write'))
    expect(see(watch, tool('Write'), { ...done(), isError: true, denied: true })).toBeNull()
  })
})

describe('M-2 the budget', () => {
  const PRICED = {
    run: RUN,
    agent: agentWith({ money: { price: () => ({ ...perToken, outputUsd: 1_000 }) } }),
  }
  const seen = (watch: RunWatch, tokens: number) =>
    watch.see({ type: 'text', text: 'x' } as never, observed(tokens)).notice

  test('of a run outside of chains is near once, then spent', () => {
    const watch = watchDollars({ clock }, { leftUsd: 1, spentByJobUsd: null }, PRICED)
    expect(seen(watch, 0)).toBeNull()
    const near = seen(watch, 0.85)
    expect(near).toMatchObject({
      type: 'notice',
      code: 'budget-near',
      text: expect.stringMatching(/^the budget of the run is nearly spent: \$0\.85\d* of \$1$/),
    })
    expect(seen(watch, 0.9)).toBeNull()
    expect(watch.stopped).toBeNull()
    seen(watch, 2)
    expect(watch.stopped).toMatchObject({
      class: 'budget',
      message: expect.stringMatching(/^the budget of the run is spent: \$2\.\d+ of \$1$/),
      hint: expect.not.stringContaining('escalate'),
    })
  })

  test('of a job counts what its earlier attempts cost: near at 80 % of the whole, not of the rest', () => {
    const watch = watchDollars({ clock }, { leftUsd: 1, spentByJobUsd: 9 }, PRICED)
    expect(seen(watch, 0)).toMatchObject({
      text: 'the budget of the job is nearly spent: $9 of $10',
    })
    seen(watch, 2)
    expect(watch.stopped).toMatchObject({
      message: expect.stringMatching(/^the budget of the job is spent: \$11\.\d+ of \$10$/),
      hint: expect.stringContaining('reprise jobs retry'),
    })
  })

  test.each([
    ['chain', 'the chain', { budget: { ...NO_BUDGET, tokens: 10_000 } }, {}],
    ['tier', 'tier 2', {}, { tierBudget: { tokens: 10_000 } }],
  ])('of a %s counts all kinds of tokens', (_, of, change, more) => {
    const watch = watchOf(change, more)
    seen(watch, 5)
    expect(watch.stopped).toBeNull()
    seen(watch, 10)
    expect(watch.stopped?.message).toBe(
      `the budget of ${of} is spent: 11110 tokens of 10000 tokens`,
    )
  })

  const spent = { costUsd: 3, usage: usage(1) }
  const runs = [run('below', 1, spent), run('before', 2, spent), { ...RUN, ...spent }]

  test('of a chain counts its other runs, of a tier those of the tier', () => {
    const message = (change: Partial<Mandate>, tierBudget: object) => {
      const watch = watchOf(change, { runs, tierBudget })
      seen(watch, 0)
      return watch.stopped?.message
    }
    expect(message({ budget: { ...NO_BUDGET, usd: 6 } }, {})).toBe(
      'the budget of the chain is spent: $6 of $6',
    )
    expect(message({ budget: { ...NO_BUDGET, usd: 7 } }, {})).toBeUndefined()
    expect(message({}, { usd: 3 })).toBe('the budget of tier 2 is spent: $3 of $3')
    expect(message({}, { usd: 4 })).toBeUndefined()
    expect(message({}, { tokens: 1_111 })).toContain('1111 tokens of 1111 tokens')
    // How many runs there may be is decided before one begins.
    expect(message({ budget: { ...NO_BUDGET, runs: 1 } }, { runs: 1 })).toBeUndefined()
  })

  test('in time counts from when the chain was made, of a tier from its first run', () => {
    const began = { queuedAt: NOW - 5_000, startedAt: NOW - 4_000 }
    const message = (change: Partial<Mandate>, more: object) => {
      const watch = watchOf(change, more)
      seen(watch, 0)
      return watch.stopped?.message
    }
    const chain = { budget: { ...NO_BUDGET, wallClockMs: 9_000 } }
    const late = { run: run('now', 2, began), runs: [run('now', 2, began)], createdAt: NOW - 9_000 }
    expect(message(chain, late)).toBe('the budget of the chain is spent: 9 s of 9 s')
    expect(message(chain, { ...late, createdAt: NOW - 8_000 })).toBeUndefined()
    const first = run('before', 2, { queuedAt: NOW - 7_000 })
    const others = [run('below', 1, { queuedAt: NOW - 60_000 }), first]
    const tierBudget = { wallClockMs: 7_000 }
    expect(message({}, { ...late, runs: others, tierBudget })).toBe(
      'the budget of tier 2 is spent: 7 s of 7 s',
    )
    expect(message({}, { ...late, tierBudget })).toBeUndefined()
    const waits = run('now', 2, { queuedAt: NOW - 20_000, startedAt: null })
    expect(message(chain, { run: waits, runs: [waits], createdAt: NOW - 30_000 })).toContain(
      '10 s of 9 s',
    )
  })
})

describe('several watches as one', () => {
  const watch = (change: Partial<RunWatch> = {}): RunWatch => ({
    see: () => ({ notice: null }),
    stopped: null,
    ...change,
  })
  const stopped = { class: 'budget', message: 'it is spent', hint: '' } as const
  const notice = { type: 'notice', code: 'budget-near', text: 'x' } as const

  test('are none when there is none', () => {
    expect(together([null, null])).toBeNull()
  })

  test('give the first notice, the first reason to stop, and ask the one that rules', () => {
    const park = { kind: 'park' } as const
    const all = together([null, watch(), watch({ see: () => ({ notice }), rule: () => park })])
    expect(all?.see({} as never, newObservation())).toEqual({ notice })
    expect(all?.stopped).toBeNull()
    expect(all?.rule?.(call('Write'))).toEqual(park)
    expect(together([watch()])?.see({} as never, newObservation())).toEqual({ notice: null })
    expect(together([watch()])?.rule?.(call('Write'))).toEqual({ kind: 'pass' })
  })

  test('let no call begin when one of them has to stop the run', () => {
    const all = together([watch({ rule: () => ({ kind: 'pass' }) }), watch({ stopped })])
    expect(all?.stopped).toBe(stopped)
    expect(all?.rule?.(call('Read'))).toEqual({ kind: 'refuse', why: 'it is spent' })
  })
})
