// How often a random programme tries: a few times in `npm test`, often in `npm run test:storms`.

type Counts = { readonly usual: number; readonly storm: number }

/** An environment variable with the programme's own name comes first: `REPRISE_KILLS=500`. */
export function countOf(variable: string, { usual, storm }: Counts): number {
  const own = process.env[variable]
  if (own !== undefined) return Number(own)
  return process.env.REPRISE_STORM === '1' ? storm : usual
}
