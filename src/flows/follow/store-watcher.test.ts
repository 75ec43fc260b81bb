import { expect, test } from 'vitest'
import { StoreWatcher } from './store-watcher.ts'

/** A store that only counts: what is added shows at the next look. */
function log() {
  const events: string[] = []
  let looks = 0
  const listeners = new Set<() => void>()
  return {
    /** As a run of this process does. */
    write: (runId: string) => {
      events.push(runId)
      for (const listener of listeners) listener()
    },
    listeners: () => listeners.size,
    onWrite: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    add: (runId: string) => events.push(runId),
    looks: () => looks,
    lastChange: async () => 0,
    lastPosition: async () => {
      looks++
      return events.length
    },
    changedRuns: async (after: number) => {
      looks++
      const last = new Map(events.map((runId, index) => [runId, index + 1]))
      return [...last]
        .filter(([, position]) => position > after)
        .map(([runId, position]) => ({ runId, position }))
    },
  }
}

const watching = (store: ReturnType<typeof log>, pollMs: number) =>
  new StoreWatcher({ store, onWrite: store.onWrite, pollMs })

const never = new AbortController().signal
const LONG_MS = 60_000

test('notifies the listeners of a run, and the listeners of all runs', async () => {
  const store = log()
  const storeWatcher = watching(store, 1)
  const [one, other, all] = [
    storeWatcher.listen('run_1'),
    storeWatcher.listen('run_2'),
    storeWatcher.listen(null),
  ]
  const first = one.version
  await one.changedSince(first, LONG_MS, never)
  const before = [one.version, other.version, all.version]
  store.add('run_1')
  await one.changedSince(before[0] ?? 0, LONG_MS, never)
  expect(one.version).toBeGreaterThan(before[0] ?? 0)
  expect(all.version).toBe(one.version)
  expect(other.version).toBe(before[1])
  for (const subscription of [one, other, all]) subscription.close()
  expect(storeWatcher.listeners).toBe(0)
})

test('notifies of what was stored between a reading and the waiting', async () => {
  const store = log()
  const storeWatcher = watching(store, 1)
  const [reader, witness] = [storeWatcher.listen('run_1'), storeWatcher.listen('run_1')]
  await witness.changedSince(witness.version, LONG_MS, never)
  const { version } = reader
  store.add('run_1')
  await witness.changedSince(version, LONG_MS, never)
  // Would wait for a minute if it had been missed.
  await reader.changedSince(version, LONG_MS, never)
  reader.close()
  witness.close()
})

test('does not look when nobody listens, and looks in one loop however often listeners change', async () => {
  const store = log()
  const storeWatcher = watching(store, 5)
  for (let i = 0; i < 20; i++) storeWatcher.listen(null).close()
  const subscription = storeWatcher.listen(null)
  await subscription.changedSince(subscription.version, 50, never)
  subscription.close()
  const looks = store.looks()
  expect(looks).toBeLessThan(20)
  await new Promise(resolve => setTimeout(resolve, 50))
  expect(store.looks()).toBeLessThanOrEqual(looks + 1)
})

test('ends the waiting when the signal aborts', async () => {
  const storeWatcher = watching(log(), 1_000)
  const subscription = storeWatcher.listen('run_1')
  const over = new AbortController()
  const waiting = subscription.changedSince(subscription.version, LONG_MS, over.signal)
  over.abort()
  await waiting
  subscription.close()
})

test('U-6 notifies at once of what this process wrote, without waiting for the next look', async () => {
  const store = log()
  const storeWatcher = watching(store, LONG_MS)
  const subscription = storeWatcher.listen('run_1')
  await subscription.changedSince(subscription.version, LONG_MS, never)
  for (let i = 0; i < 20; i++) {
    const { version } = subscription
    store.write('run_1')
    await subscription.changedSince(version, LONG_MS, never)
    expect(subscription.version).toBeGreaterThan(version)
  }
  subscription.close()
  store.write('run_1')
  await expect.poll(store.listeners).toBe(0)
})
