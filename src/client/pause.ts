// A pause that a signal can end early, with what Node and browsers both have.

/** Rejects with the reason of the signal when it aborts. A process does not stay alive for the pause alone when `ref` is false. */
export function pause(ms: number, signal?: AbortSignal, { ref = true } = {}): Promise<void> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer: unknown = setTimeout(resolve, ms)
  if (!ref && isHandle(timer)) timer.unref()
  const stop = () => reject(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  return promise.finally(() => {
    clearTimeout(timer as number)
    signal?.removeEventListener('abort', stop)
  })
}

/** In Node, a timer is an object. */
function isHandle(timer: unknown): timer is { unref(): void } {
  return typeof timer === 'object' && timer !== null && 'unref' in timer
}
