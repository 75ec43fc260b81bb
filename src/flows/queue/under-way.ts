// A turn under way, as the caller sees it: events to iterate over, a result to await.
import type { RunEvent } from '../../core/run/run-events.ts'

export type TurnControl<Submitted = { runId: string; messageId: string }> = {
  readonly submitted: (ids: Submitted) => void
  /** Aborted by `turn.cancel()` and by the caller's own signal. */
  readonly signal: AbortSignal
}

/** What `Turn` and `ChainRun` have in common. */
export type UnderWay<Submitted, Result> = AsyncIterable<RunEvent> & {
  readonly submitted: Promise<Submitted>
  readonly result: Promise<Result>
  cancel(): Promise<void>
}

/** Gives the stored events of the turn that begins with this run; `over` is aborted when no more will come. */
export type FollowStored = (runId: string, over: AbortSignal) => AsyncIterable<RunEvent>

export function startUnderWay<Submitted extends { readonly runId: string | null }, Result>(
  run: (control: TurnControl<Submitted>) => Promise<Result>,
  follow: FollowStored,
  callerSignal?: AbortSignal,
): UnderWay<Submitted, Result> {
  const cancelled = new AbortController()
  const signal = callerSignal ? AbortSignal.any([callerSignal, cancelled.signal]) : cancelled.signal
  const submitted = Promise.withResolvers<Submitted>()
  const over = new AbortController()
  const result = run({ submitted: submitted.resolve, signal })
  // A caller that only iterates, or only awaits, must not crash because of the promise that it does not use.
  submitted.promise.catch(() => {})
  result.catch(submitted.reject).finally(() => over.abort())
  return {
    submitted: submitted.promise,
    result,
    async cancel() {
      cancelled.abort()
      await result.catch(() => {})
    },
    async *[Symbol.asyncIterator]() {
      const { runId } = await submitted.promise
      if (runId !== null) yield* follow(runId, over.signal)
      // Throws the error of a turn that was refused or cancelled before it began.
      await result
    },
  }
}
