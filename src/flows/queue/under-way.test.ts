import { expect, test } from 'vitest'
import type { TurnEvent, TurnResult } from '../../api.ts'
import { startUnderWay } from './under-way.ts'

const text = (n: number): TurnEvent => ({ type: 'text', text: String(n) })
// Only its identity matters here.
const result = { text: 'done' } as TurnResult

test('a reader gets every event in order, also those that came before it looked', async () => {
  const turn = startUnderWay(async ({ emit }) => {
    for (let n = 0; n < 100; n++) emit(text(n))
    await Promise.resolve()
    emit(text(100))
    return result
  })
  await turn.result
  const seen = await Array.fromAsync(turn)
  expect(seen).toEqual(Array.from({ length: 101 }, (_, n) => text(n)))
})

test('without a reader, what is kept is bounded', async () => {
  const turn = startUnderWay(async ({ emit }) => {
    for (let n = 0; n < 50_000; n++) emit(text(n))
    return result
  })
  await turn.result
  const seen = await Array.fromAsync(turn)
  expect(seen.length).toBeLessThanOrEqual(10_000)
  expect(seen.at(-1)).toEqual(text(49_999))
})

test('a failure reaches whoever iterates, whoever awaits, and nobody else', async () => {
  const turn = startUnderWay(async () => {
    throw new Error('broken')
  })
  await expect(Array.fromAsync(turn)).rejects.toThrow('broken')
  await expect(turn.result).rejects.toThrow('broken')
  await expect(turn.submitted).rejects.toThrow('broken')
})

test("cancel() and the caller's signal both reach the turn", async () => {
  const waits = ({ signal }: { signal: AbortSignal }) =>
    new Promise<TurnResult>(resolve => {
      const end = () => resolve(result)
      if (signal.aborted) end()
      signal.addEventListener('abort', end)
    })
  const cancelled = startUnderWay(waits)
  await cancelled.cancel()
  const caller = new AbortController()
  const turn = startUnderWay(waits, caller.signal)
  caller.abort()
  expect(await turn.result).toBe(result)
})
