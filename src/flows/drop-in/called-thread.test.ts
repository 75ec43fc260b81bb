// The thread of a session that a call names: of one that Reprise has never seen, of one that others use too, of a job.
import { describe, expect, test } from 'vitest'
import { OVER, STREAM, dropInWorld as world } from '../../../test/simulated/drop-in-world.ts'
import { FOREIGN } from '../../core/decide/history.ts'
import { ID } from '../../testing/in-process-agent.ts'

describe('W-2 a session that began without Reprise', () => {
  test('becomes a thread with its conversation', async () => {
    const { call, bare, lastRun, textsOf, reprise } = await world()
    await bare([...STREAM, '--session-id', ID, 'hello'])
    expect(await call([...STREAM, '--resume', ID, 'two'])).toEqual(OVER)
    const run = await lastRun()
    expect(run).toMatchObject({ sessionId: ID, decision: { action: 'resume' } })
    expect(await textsOf(run.threadId)).toEqual(['hello', 'echo: hello', 'two', 'echo: two'])
    expect(await reprise.threads.list()).toHaveLength(1)
  })

  test('can be forked', async () => {
    const { call, bare, lastRun, textsOf, reprise } = await world()
    await bare([...STREAM, '--session-id', ID, 'hello'])
    await call([...STREAM, '--resume', ID, '--fork-session', 'two'])
    const run = await lastRun()
    expect(run.decision).toMatchObject({ action: 'fork', session: { sessionId: ID } })
    expect(await textsOf(run.threadId)).toEqual(['hello', 'echo: hello', 'two', 'echo: two'])
    expect(await reprise.threads.list()).toHaveLength(2)
  })
})

test('W-2 V-4 turns that others added to a session are foreign to its thread', async () => {
  const { call, bare, lastRun, store } = await world()
  await call([...STREAM, 'one'])
  const { sessionId, threadId } = await lastRun()
  await bare([...STREAM, '--resume', sessionId ?? '', 'behind our back'])
  expect(await call([...STREAM, '--resume', sessionId ?? '', 'two'])).toEqual(OVER)
  const [session] = await store.sessions({ threadId: threadId ?? '', sessionId: sessionId ?? '' })
  const foreign = session?.seen.map(({ hash }) => hash === FOREIGN.hash)
  expect(foreign).toEqual([false, false, true, true, false, false])
})

test('W-2 a session of a job belongs to the job alone: a call for it runs without Reprise', async () => {
  const { call, reprise, started } = await world()
  const job = await reprise.jobs.submit({ prompt: 'work', workDir: '/project', checkpoints: 'off' })
  const done = await reprise.jobs.wait(job.id)
  const args = [...STREAM, '--resume', done.attempts[0]?.sessionId ?? '', 'two']
  expect(await call(args)).toEqual({ kind: 'bare', because: null })
  expect(started).toEqual([])
})
