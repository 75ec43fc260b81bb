// It makes the full store twice, so only `npm run test:storms` runs it.
import { expect, test } from 'vitest'
import { type ServedStore, serveFullStore } from '../../src/cli/demo/full/full-store.ts'

const ALL = { limit: 1_000 }

test('the full store is the same every time: ids, titles, order, decisions and costs', async () => {
  const first = await serveAndLook()
  expect(await serveAndLook()).toEqual(first)
  expect(first.threads.length).toBeGreaterThanOrEqual(30)
})

async function serveAndLook() {
  const served = await serveFullStore({ still: true })
  try {
    return await contentOf(served)
  } finally {
    await served.close()
  }
}

async function contentOf({ reprise }: ServedStore) {
  const threads = await reprise.threads.list(ALL)
  const runs = await reprise.runs.list(ALL)
  const jobs = await reprise.jobs.list(ALL)
  return {
    threads: threads.map(({ id, title }) => ({ id, title })),
    runs: runs.map(({ id, status, decision, costUsd, durationMs }) => ({
      id,
      status,
      action: decision?.action,
      costUsd,
      durationMs,
    })),
    jobs: jobs.map(({ id, status, prompt }) => ({ id, status, prompt })),
  }
}
