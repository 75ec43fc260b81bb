// Plays many random sequences, each in a world of its own, and says what they covered.
import { chosenSeed } from '../../counts.ts'
import { fc } from '../../properties.ts'
import { sequences } from './commands.ts'
import { type Counts, play } from './play.ts'
import type { World } from './world.ts'

/** A sequence that does not end has failed, too. */
const SEQUENCE_MS = 60_000

export async function playMany(
  open: (number: number) => Promise<World>,
  options: Parameters<typeof sequences>[0] & { readonly runs: number; readonly seed?: number },
): Promise<Counts> {
  const { runs, seed = chosenSeed() } = options
  const counts: Counts = new Map()
  let played = 0
  const property = fc.asyncProperty(sequences(options), async sequence => {
    const world = await open(++played)
    try {
      await play(world, sequence, counts)
    } finally {
      await world.close()
    }
  })
  const startedMs = performance.now()
  await fc.assert(property, { numRuns: runs, seed, timeout: SEQUENCE_MS })
  const seconds = (performance.now() - startedMs) / 1_000
  const table = [...counts].toSorted().map(([what, times]) => `${what}: ${times}`)
  const words = `${runs} sequences in ${seconds.toFixed(1)} s, seed ${seed}`
  process.stderr.write(`${words}\n  ${table.join('\n  ')}\n`)
  return counts
}
