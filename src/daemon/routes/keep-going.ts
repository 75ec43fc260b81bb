// Lets a turn outlive the request that started it.
import type { Turn } from '../../api.ts'

/** The turn goes on after its request has ended; the store has its events and its end. */
export function keepGoing(turn: Turn): void {
  turn.result.catch(() => {
    // The run records failures after the answer.
  })
}

/** Resolves when the agent has started; rejects when the turn ends before that. */
export async function begun(turn: Turn): Promise<void> {
  for await (const { type } of turn) if (type === 'started') return
}
