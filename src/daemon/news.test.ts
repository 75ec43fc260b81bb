import { expect, test } from 'vitest'
import { News } from './news.ts'

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

const never = new AbortController().signal
const LONG_MS = 60_000

test('tells those who listen to a run, and those who listen to all', async () => {
  const reprise = log()
  const news = new News({ reprise, pollMs: 1 })
  const [one, other, all] = [news.listen('run_1'), news.listen('run_2'), news.listen(null)]
  const first = one.version
  await one.changedSince(first, LONG_MS, never)
  const before = [one.version, other.version, all.version]
  reprise.add('run_1')
  await one.changedSince(before[0] ?? 0, LONG_MS, never)
  expect(one.version).toBeGreaterThan(before[0] ?? 0)
  expect(all.version).toBe(one.version)
  expect(other.version).toBe(before[1])
  for (const ear of [one, other, all]) ear.close()
  expect(news.listeners).toBe(0)
})

test('tells of what was stored between a reading and the waiting', async () => {
  const reprise = log()
  const news = new News({ reprise, pollMs: 1 })
  const [reader, witness] = [news.listen('run_1'), news.listen('run_1')]
  await witness.changedSince(witness.version, LONG_MS, never)
  const { version } = reader
  reprise.add('run_1')
  await witness.changedSince(version, LONG_MS, never)
  // Would wait for a minute if it had been missed.
  await reader.changedSince(version, LONG_MS, never)
  reader.close()
  witness.close()
})

test('does not look when nobody listens, and looks in one loop however often listeners change', async () => {
  const reprise = log()
  const news = new News({ reprise, pollMs: 5 })
  for (let i = 0; i < 20; i++) news.listen(null).close()
  const ear = news.listen(null)
  await ear.changedSince(ear.version, 50, never)
  ear.close()
  const looks = reprise.looks()
  expect(looks).toBeLessThan(20)
  await new Promise(resolve => setTimeout(resolve, 50))
  expect(reprise.looks()).toBeLessThanOrEqual(looks + 1)
})

test('lets go of who waits when the signal aborts', async () => {
  const news = new News({ reprise: log(), pollMs: 1_000 })
  const ear = news.listen('run_1')
  const over = new AbortController()
  const waiting = ear.changedSince(ear.version, LONG_MS, over.signal)
  over.abort()
  await waiting
  ear.close()
})

test('T-10 tells at once of what this process wrote, without waiting for the next look', async () => {
  const reprise = log()
  const news = new News({ reprise, pollMs: LONG_MS })
  const ear = news.listen('run_1')
  await ear.changedSince(ear.version, LONG_MS, never)
  for (let i = 0; i < 20; i++) {
    const { version } = ear
    reprise.write('run_1')
    await ear.changedSince(version, LONG_MS, never)
    expect(ear.version).toBeGreaterThan(version)
  }
  ear.close()
  reprise.write('run_1')
  await expect.poll(reprise.listeners).toBe(0)
})
