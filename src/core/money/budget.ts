// Budgets: what may be spent, what was spent, what is left. The caller sums over all runs, so a budget spans resumes.

/** What may be spent; `null`: no limit. */
export type Budget = {
  readonly usd: number | null
  readonly tokens: number | null
  readonly runs: number | null
  readonly wallClockMs: number | null
}

export type Spent = { readonly [Kind in keyof Budget]: number }

export const NO_BUDGET: Budget = { usd: null, tokens: null, runs: null, wallClockMs: null }
export const NOTHING_SPENT: Spent = { usd: 0, tokens: 0, runs: 0, wallClockMs: 0 }

const WARN_SHARE = 0.8

export type BudgetUse = {
  readonly kind: keyof Budget
  readonly spent: number
  readonly limit: number
}

export type BudgetState =
  | { readonly state: 'within' }
  | ({ readonly state: 'near' | 'spent' } & BudgetUse)

const KINDS: readonly (keyof Budget)[] = ['usd', 'tokens', 'runs', 'wallClockMs']

/** The words name the limit that is nearest to its end. */
export function checkBudget(budget: Budget, spent: Spent): BudgetState {
  let worst: (BudgetUse & { share: number }) | null = null
  for (const kind of KINDS) {
    const limit = budget[kind]
    if (limit === null) continue
    const share = limit > 0 ? spent[kind] / limit : Number.POSITIVE_INFINITY
    if (!worst || share > worst.share) worst = { kind, spent: spent[kind], limit, share }
  }
  if (!worst || worst.share < WARN_SHARE) return { state: 'within' }
  const { share, ...use } = worst
  return { state: share >= 1 ? 'spent' : 'near', ...use }
}

export function addSpent(left: Spent, right: Spent): Spent {
  return {
    usd: left.usd + right.usd,
    tokens: left.tokens + right.tokens,
    runs: left.runs + right.runs,
    wallClockMs: left.wallClockMs + right.wallClockMs,
  }
}

export function budgetWords({ kind, spent, limit }: BudgetUse): string {
  return `${amount(kind, spent)} of ${amount(kind, limit)}`
}

function amount(kind: keyof Budget, value: number): string {
  if (kind === 'usd') return `$${Math.round(value * 10_000) / 10_000}`
  if (kind === 'wallClockMs') return `${Math.round(value / 1_000)} s`
  return `${Math.round(value)} ${kind}`
}
