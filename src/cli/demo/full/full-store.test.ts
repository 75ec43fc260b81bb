import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServedStore, serveFullStore } from './full-store.ts'

let served: ServedStore
beforeAll(async () => {
  served = await serveFullStore()
}, 120_000)
afterAll(() => served.close())

test('the full store has no broken promise', async () => {
  expect(await served.reprise.verify()).toEqual([])
})

test('the full store is served: the address answers, and the sign-in address belongs to it', async () => {
  const answer = await fetch(`${served.url}/health`)
  expect(answer.status).toBe(200)
  expect(served.signInUrl.startsWith(`${served.url}/login`)).toBe(true)
  expect(existsSync(served.home)).toBe(true)
})
