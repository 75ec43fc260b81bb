// One caller after another, unless the one before it hangs.
import { expect, test } from 'vitest'
import { OneAtATime } from './one-at-a-time.ts'

test('I1 callers go one after another, in their order, also after one that failed', async () => {
  const turns = new OneAtATime(60_000)
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await new Promise(resolve => setImmediate(resolve))
    seen.push(`${name} ends`)
    if (name === 'a') throw new Error('no luck')
    return name
  }
  const [a, b, c] = await Promise.allSettled(['a', 'b', 'c'].map(name => turns.run(work(name))))
  expect([a?.status, b?.status, c?.status]).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(seen).toEqual(['a', 'b', 'c'].flatMap(name => [`${name} begins`, `${name} ends`]))
})

test('I1 a caller that hangs holds up the next ones only for a while', async () => {
  const turns = new OneAtATime(1)
  void turns.run(() => new Promise(() => {}))
  expect(await turns.run(async () => 'went on')).toBe('went on')
  expect(await turns.run(async () => 'also')).toBe('also')
})
