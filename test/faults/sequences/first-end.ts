// The first moment at which a turn does nothing more by itself.
import type { Turn } from '../../../src/api.ts'

/** The turn is over, or waits for an answer. */
export async function firstEnd(turn: Turn): Promise<true> {
  for await (const event of turn) if (event.type === 'question') break
  return true
}
