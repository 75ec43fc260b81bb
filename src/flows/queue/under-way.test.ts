import { expect, test } from 'vitest'
import type { TurnResult } from '../../api.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import { type FollowStored, startUnderWay, type TurnControl } from './under-way.ts'

// Only its identity matters here.
const result = { text: 'done' } as TurnResult
const ids = { runId: 'run_1', messageId: 'msg_1' }

const text = (seq: number): RunEvent => ({
  runId: 'run_1',
  seq,
  at: 0,
  type: 'text',
  text: String(seq),
})

/** Gives what is stored, and waits for more until it is over. */
const stored: FollowStored = async function* (_, over) {
  for (let seq = 1; seq <= 3; seq++) yield text(seq)
  await new Promise(resolve => over.addEventListener('abort', resolve))
  yield text(4)
}

test('a reader gets what is stored until the result is known, and what was stored last', async () => {
  const end = Promise.withResolvers<TurnResult>()
  const turn = startUnderWay(async ({ submitted }: TurnControl) => {
    submitted(ids)
    return end.promise
  }, stored)
  const seen: number[] = []
  for await (const { seq } of turn) {
    seen.push(seq)
    if (seq === 3) end.resolve(result)
  }
  expect(seen).toEqual([1, 2, 3, 4])
})

test('every reader begins with the first event', async () => {
  const turn = startUnderWay(
    async ({ submitted }: TurnControl) => {
      submitted(ids)
      return result
    },
    async function* () {
      yield text(1)
    },
  )
  expect(await Array.fromAsync(turn)).toEqual([text(1)])
  expect(await Array.fromAsync(turn)).toEqual([text(1)])
})

test('a failure reaches the caller that iterates and the caller that awaits, and nobody else', async () => {
  const turn = startUnderWay(async () => {
    throw new Error('broken')
  }, stored)
  await expect(Array.fromAsync(turn)).rejects.toThrow('broken')
  await expect(turn.result).rejects.toThrow('broken')
  await expect(turn.submitted).rejects.toThrow('broken')
})

test("cancel() and the caller's signal both reach the turn", async () => {
  const waits = ({ signal }: TurnControl) =>
    new Promise<TurnResult>(resolve => {
      const end = () => resolve(result)
      if (signal.aborted) end()
      signal.addEventListener('abort', end)
    })
  const cancelled = startUnderWay(waits, stored)
  await cancelled.cancel()
  const caller = new AbortController()
  const turn = startUnderWay(waits, stored, caller.signal)
  caller.abort()
  expect(await turn.result).toBe(result)
})
