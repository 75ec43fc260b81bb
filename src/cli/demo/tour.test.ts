// The tour prints the figures of the store: with other figures in the store, it prints those.
import { expect, test } from 'vitest'
import type { Io } from '../start/io.ts'
import type { Stage } from './stage.ts'
import { tour } from './tour.ts'

const DECISION = { action: 'start', reason: { code: 'first-turn' }, checks: [] }
const USAGE = { inputTokens: 12_345, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 67 }

function run(more: object) {
  const usual = {
    id: 'run_1',
    status: 'completed',
    tier: null,
    attempt: 1,
    costUsd: 0,
    failure: null,
  }
  return { ...usual, decision: DECISION, usage: USAGE, savings: null, verdict: null, ...more }
}

/** What `reprise` would have printed, by the verb. */
const ANSWERS: Readonly<Record<string, object>> = {
  send: { run: run({ costUsd: 7.77 }), threadId: 'thr_1', text: 'an answer' },
  escalate: {
    status: 'resolved',
    totals: { costUsd: 6.75 },
    runs: [1.25, 2.5, 3].map((costUsd, at) => run({ costUsd, tier: at + 1, model: `model-${at}` })),
  },
  jobs: {
    id: 'job_1',
    threadId: 'thr_2',
    status: 'completed',
    costUsd: 9.5,
    attempts: [run({ costUsd: 4.25 }), run({ costUsd: 5.25, attempt: 2 })],
  },
  threads: { messages: [] },
}

async function printed(columns: number): Promise<string> {
  const done: string[] = []
  let out = ''
  const stage: Stage = {
    run: async ([verb = '']) => ANSWERS[verb],
    serve: async () => void done.push('serve'),
    killDaemon: async () => void done.push('kill'),
    remove: async () => {},
  }
  const write = (text: string) => {
    out += text
  }
  const io = { stdout: { write, columns }, env: {} } as unknown as Io
  await tour(io, stage)
  expect(done).toEqual(['serve', 'kill', 'serve'])
  return out
}

test('every figure of the tour is the one that the store gave', async () => {
  const out = await printed(100)
  expect(out).toContain('12,345 in (0 cached), 67 out · $7.77')
  for (const usd of ['$1.25', '$2.50', '$3.00', 'total $6.75']) expect(out).toContain(usd)
  for (const usd of ['$4.25', '$5.25', 'total $9.50']) expect(out).toContain(usd)
})

test.each([80, 120])('the tour fits into %i columns', async columns => {
  const lines = (await printed(columns)).split('\n')
  expect(lines.filter(line => Array.from(line).length > columns)).toEqual([])
})
