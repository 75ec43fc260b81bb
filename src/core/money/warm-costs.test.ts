// What runs cost over processes that stay, end and crash: each dollar is booked once, whatever the totals of the agent cover.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bookCost } from './ledger.ts'

type Step = {
  readonly costUsd: number
  readonly process: 'warm' | 'new'
  readonly crashes: boolean
}

/** An agent that reports totals of its process, or of its session as its file says at the start. It saves its total at an orderly end. */
function play(steps: readonly Step[], totals: 'process' | 'session', tellsDelta: boolean) {
  let alive: { readonly base: number; spent: number } | null = null
  let savedUsd = 0
  return steps.map(step => {
    const isWarm = step.process === 'warm' && alive !== null
    if (!isWarm && alive !== null && totals === 'session') savedUsd = alive.base + alive.spent
    if (!isWarm) alive = { base: totals === 'session' ? savedUsd : 0, spent: 0 }
    const process = alive ?? { base: 0, spent: 0 }
    const baselineUsd = isWarm ? process.base + process.spent : savedUsd
    process.spent += step.costUsd
    const { costUsd } = bookCost({
      meaning: isWarm ? 'session' : totals,
      totalUsd: process.base + process.spent,
      sinceLastUsd: tellsDelta ? step.costUsd : null,
      baselineUsd,
      expectedUsd: { least: step.costUsd, most: step.costUsd },
      isBrokenOff: false,
    })
    // A killed process saves no total: the next one counts on from the older one.
    if (step.crashes) alive = null
    return costUsd ?? Number.NaN
  })
}

const step = fc.record({
  costUsd: fc.double({ min: 0.001, max: 5, noNaN: true }),
  process: fc.constantFrom('warm' as const, 'new' as const),
  crashes: fc.boolean(),
})

test.each([
  ['of a process', 'process', false],
  ['of a session', 'session', false],
  ['of a session, with the difference', 'session', true],
] as const)(
  'W-1 M-1 costs are exact over warm, new and crashed processes, when totals are %s',
  (_, totals, tells) => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), steps => {
        const booked = play(steps, totals, tells)
        for (const [index, { costUsd }] of steps.entries())
          expect(booked[index]).toBeCloseTo(costUsd, 6)
      }),
    )
  },
)
