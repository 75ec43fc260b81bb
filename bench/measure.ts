// Compares ways of doing the same thing on a machine that is not quiet: interleaved rounds, medians, an interval of each ratio.

export type Lane = { readonly name: string; readonly run: () => Promise<void> | void }

/** Milliseconds of each lane, round by round. */
export type Samples = ReadonlyMap<string, readonly number[]>

export type Ratio = {
  /** Of the medians, and where it lies in 95 of 100 resamplings of the rounds. */
  readonly ratio: number
  readonly low: number
  readonly high: number
  /** Of the fastest quarters: what other work on the machine disturbed least. */
  readonly undisturbed: number
}

const RESAMPLES = 5_000

/** The first round only warms up. The order turns with every round, so that no lane always follows the same one. */
export async function interleave(lanes: readonly Lane[], rounds: number): Promise<Samples> {
  const samples = new Map<string, number[]>(lanes.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % lanes.length
    for (const lane of [...lanes.slice(first), ...lanes.slice(0, first)]) {
      const before = performance.now()
      await lane.run()
      const elapsed = performance.now() - before
      if (round > 0) samples.get(lane.name)?.push(elapsed)
    }
  }
  return samples
}

export function compare(samples: Samples, lane: string, base: string): Ratio {
  const ours = samples.get(lane) ?? []
  const theirs = samples.get(base) ?? []
  const random = createRandom()
  const ratios = Array.from({ length: RESAMPLES }, () => {
    const rounds = ours.map(() => Math.floor(random() * ours.length))
    return median(pick(ours, rounds)) / median(pick(theirs, rounds))
  }).sort((a, b) => a - b)
  return {
    ratio: median(ours) / median(theirs),
    low: ratios[Math.floor(RESAMPLES * 0.025)] ?? Number.NaN,
    high: ratios[Math.floor(RESAMPLES * 0.975)] ?? Number.NaN,
    undisturbed: median(fastestQuarter(ours)) / median(fastestQuarter(theirs)),
  }
}

function fastestQuarter(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length / 4))
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Prints a ratio beside its target; false when it is above. */
export function report(what: string, found: Ratio, atMost: number): boolean {
  const interval = `[${found.low.toFixed(3)}, ${found.high.toFixed(3)}]`
  const isMet = found.ratio <= atMost
  const verdict = isMet ? '' : '  MISSED'
  const undisturbed = `undisturbed ${found.undisturbed.toFixed(3)}×`
  print(
    what,
    `${found.ratio.toFixed(3)}×  ${interval}  ${undisturbed}  (at most ${atMost})${verdict}`,
  )
  return isMet
}

export function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(34)} ${figure}\n`)
}

export function milliseconds(values: readonly number[]): string {
  const text = (value: number) => value.toFixed(value < 10 ? 3 : 1)
  return `${text(median(values))} ms  (fastest ${text(Math.min(...values))})`
}

/** A whole number from the command line: `--rounds 40`. */
export function numberFlag(name: string, otherwise: number): number {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}

function pick(values: readonly number[], indices: readonly number[]): readonly number[] {
  return indices.map(index => values[index] ?? Number.NaN)
}

/** Always the same numbers, so that the same samples give the same interval. */
function createRandom(): () => number {
  let state = 42
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
