// A process that is started before the prompt comes, and why there is none.

/** Why no process waits for the next turn of a thread. */
export type WhyNotWarm = 'off' | 'not-kept' | 'busy' | 'not-resumed' | 'full' | 'too-often'

/** Whether a process waits for the next turn now. */
export type PreWarmed =
  | {
      readonly waits: true
      /** Gives the process back, as long as no later message has asked for it. */
      readonly ticket: string
    }
  | { readonly waits: false; readonly why: WhyNotWarm }

/** Whether a process that nobody used has ended now. */
export type PreWarmEnded = { readonly ended: boolean }

/** Marks processes that no run has started. */
export const PRE_WARM_PREFIX = 'pre'

/** How often a process may be started in vain. */
const EACH_THREAD_MS = 10_000

/** Bounds the starts: each thread seldom, and all together no more often than processes may be kept. */
export class PreWarmGate {
  readonly #startedAt = new Map<string, number>()

  /** Notes the start, unless it would be one too many. */
  open(threadId: string, now: number, maxStarts: number): boolean {
    for (const [id, at] of this.#startedAt)
      if (at + EACH_THREAD_MS <= now) this.#startedAt.delete(id)
    if (this.#startedAt.has(threadId) || this.#startedAt.size >= maxStarts) return false
    this.#startedAt.set(threadId, now)
    return true
  }
}
