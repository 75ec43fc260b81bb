import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as soon } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withLock } from './lock.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-lock-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const DEAD = '00000000-0000-4000-8000-000000000000'
const holder = (name: string) => ({
  name,
  isAlive: (other: string) =>
    other === 'unknown' ? null : other !== 'dead' && other !== 'dead too',
})
const lock = () => join(directory, 'thr_1.lock')
const now = { signal: AbortSignal.abort() }

test('J-10 many that find the lock of a dead process at once hold it one after another', async () => {
  let inside = 0
  let most = 0
  let times = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    for (let step = 0; step < 5; step += 1) await soon()
    // The next ones find what a process leaves that dies now.
    times += 1
    writeFileSync(`${lock()}-${DEAD.slice(0, -2)}${10 + times}`, 'dead\n')
    inside -= 1
  }
  const names = Array.from({ length: 12 }, (_, index) => `process ${index}`)
  await Promise.all(names.map(name => withLock(lock(), { holder: holder(name) }, work)))
  expect({ most, times }).toEqual({ most: 1, times: 12 })
})

test('J-10 a lock that is held is waited for, or not', async () => {
  const refused = withLock(lock(), { holder: holder('one') }, () =>
    withLock(lock(), { holder: holder('two'), ...now }, async () => {}),
  )
  await expect(refused).rejects.toMatchObject({ code: 'cancelled' })
  expect(readdirSync(directory)).toEqual([])
})

test('J-10 a holder that nobody can judge counts as dead when it was silent for a minute', async () => {
  const claim = `${lock()}-${DEAD}`
  const take = () => withLock(lock(), { holder: holder('one'), ...now }, async () => 'taken')
  for (const text of ['unknown\n', 'half of a na']) {
    writeFileSync(claim, text)
    await expect(take()).rejects.toMatchObject({ code: 'cancelled' })
    const then = new Date(Date.now() - 70_000)
    utimesSync(claim, then, then)
    expect(await take()).toBe('taken')
    expect(readdirSync(directory)).toEqual([])
  }
})
