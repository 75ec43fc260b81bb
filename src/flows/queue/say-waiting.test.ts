// A process whose turns only wait says that it lives, now and then, where other hosts could take it for dead.
import { expect, test } from 'vitest'
import { LiveRuns } from './live-runs.ts'
import { sayWaiting } from './say-waiting.ts'

function process({ reach = 'hosts', fails = false } = {}) {
  const said: unknown[] = []
  const live = new LiveRuns()
  const store = {
    reach,
    sayWaiting: async (owner: unknown) => {
      said.push(owner)
      if (fails) throw new Error('away')
    },
  }
  return { said, live, say: () => sayWaiting({ store, owner: 'us', live } as never) }
}

test('V-4 it says so at once, and not again before some time has passed', async () => {
  const { said, live, say } = process()
  await say()
  await say()
  expect(said).toEqual(['us'])
  live.saidWaitingAt = performance.now() - 15_000
  await say()
  expect(said).toEqual(['us', 'us'])
})

test('V-4 a store of one host needs no such word', async () => {
  const { said, say } = process({ reach: 'one-host' })
  await say()
  expect(said).toEqual([])
})

test('V-4 a word that did not reach the store is said again at once', async () => {
  const { said, say } = process({ fails: true })
  await say()
  await say()
  expect(said).toHaveLength(2)
})
