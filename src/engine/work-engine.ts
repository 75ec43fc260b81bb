// An engine over any place that keeps work: it stores what is dispatched, and consumers of this process take it from there.
import type { Clock } from '../core/world.ts'
import type { Owner } from '../store/contract/leases.ts'
import type { OpenTransaction, WorkVerbs } from '../store/contract/work.ts'
import { ENGINE_TIMING, type EngineTiming, WorkConsumer } from './consumer.ts'
import type { Engine, Work } from './engine.ts'

export type EngineParts = {
  readonly clock: Clock
  readonly owner: Owner
  /** `null`: the owner is on another host, so this process cannot know. */
  isAlive(owner: Owner): boolean | null
}

export type KeptWork = {
  readonly kept: WorkVerbs
  /** The same place inside of a transaction of the store. */
  inside(transaction: OpenTransaction): Pick<WorkVerbs, 'enqueueWork' | 'cancelWork'>
  /** Calls the listener when a process has stored work of a queue, or of any queue (`null`). */
  listen?(listener: (queue: string | null) => void): () => void
}

export function createWorkEngine(
  { kept, inside, listen }: KeptWork,
  parts: EngineParts,
  timing: EngineTiming = ENGINE_TIMING,
): Engine {
  const consumers = new Map<string, WorkConsumer>()
  let hangUp: (() => void) | undefined
  const wake = (queue: string | null) => {
    for (const [name, consumer] of consumers) if (queue === null || queue === name) consumer.wake()
  }
  return {
    async dispatch(work) {
      const put = await kept.enqueueWork(completed(work, timing), parts.clock.now())
      wake(work.queue)
      return put
    },
    enlist: work => transaction =>
      inside(transaction).enqueueWork(completed(work, timing), parts.clock.now()),
    enlistCancel: (queue, id) => transaction => inside(transaction).cancelWork(queue, id),
    wake,
    consume(queue, handler, options) {
      const consumer = new WorkConsumer({ ...parts, ...options, kept, timing, queue, handler })
      consumers.set(queue, consumer)
      hangUp ??= listen?.(wake)
      return consumer
    },
    async cancel(queue, id) {
      const how = await kept.cancelWork(queue, id)
      consumers.get(queue)?.abort(id, 'cancelled')
      return how
    },
    having: async (queue, ids) => new Set(await kept.liveWork(queue, ids)),
    failed: (queue, id) => kept.failedWork(queue, id),
    dead: (queue, limit) => kept.deadWork(queue, limit),
    async close() {
      hangUp?.()
      await Promise.all([...consumers.values()].map(consumer => consumer.close()))
    },
  }
}

function completed(work: Work, timing: EngineTiming) {
  const { queue, id, key = null, perKey = 1, lane = '', priority = 0, notBefore = 0 } = work
  const { retryLimit = timing.retryLimit, isFresh = false } = work
  return { queue, id, key, perKey, lane, priority, notBefore, retryLimit, isFresh }
}
