// How often a random programme tries: a few times in `npm test`, often in `npm run test:storms`.

type Counts = { readonly usual: number; readonly storm: number }

/** An environment variable with the programme's own name comes first: `REPRISE_KILLS=500`. */
export function countOf(variable: string, { usual, storm }: Counts): number {
  const own = process.env[variable]
  if (own !== undefined) return Number(own)
  return process.env.REPRISE_STORM === '1' ? storm : usual
}

/** The same chances every time, so that a red test is one that the change made red; `random` looks for new ones. */
export function chosenSeed(): number {
  const words = process.env.REPRISE_SEED ?? '20261116'
  return words === 'random' ? Date.now() % 2 ** 31 : Number(words)
}
