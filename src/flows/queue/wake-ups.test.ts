// Waiting for news about a run, and what is left of it.
import { expect, test } from 'vitest'
import { WakeUps } from './wake-ups.ts'

test('T-7 a wake-up reaches every waiter of its run, and no other', async () => {
  const calls = new WakeUps()
  const woken: string[] = []
  const waiting = ['a', 'a', 'b'].map(runId =>
    calls.waitDuring(runId, async called => {
      await called
      woken.push(runId)
    }),
  )
  calls.wake('a')
  calls.wake('nobody waits for it')
  await Promise.all(waiting.slice(0, 2))
  expect(woken).toEqual(['a', 'a'])
  calls.wake('b')
  await waiting[2]
  expect(calls.size).toBe(0)
})

test('T-7 what nobody waits for any more is forgotten, also when no news ever came', async () => {
  const calls = new WakeUps()
  for (let run = 0; run < 1_000; run++) await calls.waitDuring(`run_${run}`, async () => run)
  await expect(
    calls.waitDuring('run_failed', () => Promise.reject(new Error('no'))),
  ).rejects.toThrow()
  expect(calls.size).toBe(0)
})

test('T-7 news that come while somebody looks are not missed', async () => {
  const calls = new WakeUps()
  const heard = await calls.waitDuring('run_1', async called => {
    calls.wake('run_1')
    await called
    return 'heard'
  })
  expect(heard).toBe('heard')
})
