import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServedStore, serveFullStore } from '../../../src/cli/demo/full/full-store.ts'

let served: ServedStore
beforeAll(async () => {
  served = await serveFullStore({ still: true })
})
afterAll(() => served.close())

const ALL = { limit: 1_000 }

test('the full store has no broken promise', async () => {
  expect(await served.reprise.verify()).toEqual([])
})

test('the full store is served: the address answers, and the sign-in address belongs to it', async () => {
  const answer = await fetch(`${served.url}/health`)
  expect(answer.status).toBe(200)
  expect(served.signInUrl.startsWith(`${served.url}/login`)).toBe(true)
  expect(existsSync(served.home)).toBe(true)
})

test('the full store has chains of every status, and one that was interrupted', async () => {
  const chains = await served.reprise.chains.list(ALL)
  expect(new Set(chains.map(({ status }) => status))).toEqual(
    new Set(['running', 'resolved', 'exhausted', 'failed', 'held', 'cancelled']),
  )
  const codes = chains.map(({ because }) => because.code)
  expect(codes).toEqual(expect.arrayContaining(['approval-needed', 'run-interrupted']))
})

test('REQ-5 a chain of the full store costs $0.03 + $0.47 + $2.00 = $2.50', async () => {
  const chains = await served.reprise.chains.list(ALL)
  const chain = chains.find(({ byTier }) => byTier.length === 3)
  const costs = chain?.byTier.map(({ costUsd }) => costUsd?.toFixed(4))
  expect(costs).toEqual(['0.0300', '0.4700', '2.0000'])
  expect(chain?.totals.costUsd?.toFixed(4)).toBe('2.5000')
})

test('the full store has jobs of every state', async () => {
  const statuses = (await served.reprise.jobs.list(ALL)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(
    new Set(['queued', 'running', 'waiting', 'parked', 'completed', 'failed', 'cancelled', 'dead']),
  )
})

test('a job of the full store was resumed, then replayed, with checkpoints around each attempt', async () => {
  const [running] = await served.reprise.jobs.list({ status: 'running' })
  const job = await served.reprise.jobs.get(running?.id ?? '')
  expect(job.attempts.map(({ decision }) => decision?.action)).toEqual([
    'start',
    'resume',
    'replay',
  ])
  expect(job.checkpoints.map(({ kind }) => kind)).toEqual([
    'before',
    'after',
    'before',
    'after',
    'before',
  ])
})

test('the full store has questions that wait, one of each kind, and answered and expired ones', async () => {
  const questions = await served.reprise.questions(ALL)
  const open = questions.filter(({ state }) => state === 'open').map(({ tool }) => tool)
  expect(open.toSorted()).toEqual(['AskUserQuestion', 'Bash', 'Edit'])
  const states = questions.map(({ state }) => state)
  expect(states).toEqual(expect.arrayContaining(['answered', 'expired']))
})

test('turns of the full store continued in every way, for many reasons', async () => {
  const runs = await served.reprise.runs.list(ALL)
  const decisions = runs.flatMap(({ decision }) => decision ?? [])
  const actions = new Set(decisions.map(({ action }) => action))
  expect(actions).toEqual(new Set(['start', 'resume', 'fork', 'replay', 'handover']))
  const reasons = new Set(decisions.flatMap(one => ('reason' in one ? one.reason.code : [])))
  expect([...reasons].toSorted()).toEqual([
    'context-full',
    'directory-changed',
    'file-damaged',
    'file-missing',
    'first-turn',
    'foreign-turns',
    'fresh-asked',
    'history-changed',
    'no-session',
    'resume-refused',
    'runtime-changed',
    'session-retired',
    'tier-entered',
  ])
})

test('a turn of the full store waits in the queue of its thread', async () => {
  const [queued] = await served.reprise.runs.list({ status: 'queued' })
  const [running] = await served.reprise.runs.list({
    threadId: queued?.threadId ?? '',
    status: 'running',
  })
  expect(running?.decision?.action).toBe('resume')
})

test('the full store has two weeks of savings and about 30 threads', async () => {
  const { rows, total } = await served.reprise.savings('day')
  expect(rows.length).toBeGreaterThanOrEqual(14)
  expect(rows.every(({ runs }) => runs > 0)).toBe(true)
  expect(total.savedUsd).toBeGreaterThan(1)
  const threads = await served.reprise.threads.list(ALL)
  expect(threads.length).toBeGreaterThanOrEqual(30)
})
