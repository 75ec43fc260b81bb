// A turn that outlives the request which started it.
import type { Turn } from '../../api.ts'

/** The turn goes on without its request; how it ends is in the run, its events are in the store. */
export function keepGoing(turn: Turn): void {
  turn.result.catch(() => {
    // What went wrong after the answer is recorded in the run.
  })
}

/** Resolves when the agent is started; rejects when the turn ends before that. */
export async function begun(turn: Turn): Promise<void> {
  for await (const { type } of turn) if (type === 'started') return
}
