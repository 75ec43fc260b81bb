// Something a daemon works on, as its caller sees it: events to iterate over, a result to await, a way to end it.
import type { TurnEvent } from '../api.ts'

export type RemoteWork<Submitted, Result> = {
  readonly submitted: Promise<Submitted>
  readonly follow: (ids: Submitted, emit: (event: TurnEvent) => void) => Promise<Result>
  /** Asks the daemon to end what is under way now. */
  readonly stop: (ids: Submitted) => Promise<void>
  /** Its abort ends it too. */
  readonly signal: AbortSignal | undefined
}

export function underWay<Submitted, Result>(following: RemoteWork<Submitted, Result>) {
  const { submitted, signal } = following
  const unread: TurnEvent[] = []
  let wake = () => {}
  let over: { readonly error: unknown } | null = null
  const emit = (event: TurnEvent) => {
    unread.push(event)
    wake()
  }
  const end = (error: unknown) => {
    over = { error }
    wake()
  }
  const result = submitted.then(ids => following.follow(ids, emit))
  result.then(() => end(null), end)
  // Whoever only iterates, or only awaits, must not crash by the promise nobody looked at.
  submitted.catch(() => {})

  const cancel = async () => {
    const ids = await submitted.catch(() => null)
    if (ids === null) return
    await following.stop(ids)
    await result.catch(() => {})
  }
  const onAbort = () => {
    // A cancel that fails shows in the result.
    cancel().catch(end)
  }
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort)
  result.catch(() => {}).finally(() => signal?.removeEventListener('abort', onAbort))

  return {
    submitted,
    result,
    cancel,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        yield* unread.splice(0)
        if (unread.length > 0) continue
        if (over?.error) throw over.error
        if (over) return
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
  }
}
