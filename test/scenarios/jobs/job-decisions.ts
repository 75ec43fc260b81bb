// Scenarios of jobs whose outcome Reprise decides alone: the agent gets a prompt, as in all other scenarios.
import { readFileSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { appears, getStuck, say } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import type { Kind } from '../harness/program.ts'
import { useHarness } from '../threads/threads.ts'
import { checkpointDecisionScenarios } from './checkpoints.ts'
import { fresh, newName, over, stuck, submit, TASK } from './job-acts.ts'

/** `npm test` runs them on the fake agent inside the process, `npm run test:storms` on the newest real version. */
export function decidedJobScenarios(kind: Kind): void {
  describe(`decisions about jobs on ${kind}`, () => jobDecisionScenarios(useHarness(kind)))
}

export function jobDecisionScenarios(world: () => Harness): void {
  checkpointDecisionScenarios(world)

  test('F-3 a job that must not start afresh after side effects stops when its session and our copy are gone', async () => {
    const more = { onSideEffects: 'stop' } as const
    const { job, effects, runId } = await stuck(world(), more)
    const { sessionId } = await world().reprise.runs.get(runId)
    const file = world().sessionFile(sessionId ?? '')
    await world().reprise.close()
    rmSync(file)
    await world().loseCopies()
    const spawns = world().spawns
    await world().restart()
    const done = await over(world(), job)
    expect(done).toMatchObject({
      status: 'dead',
      failure: { class: 'not-continued', message: expect.stringContaining(file) },
      step: { do: 'stop', as: 'dead', reason: { code: 'side-effects', toolsRan: 2 } },
    })
    expect(world().spawns).toBe(spawns)
    expect(readFileSync(effects, 'utf8')).toBe('done\n')
  })

  test('J-3 without its session a job starts afresh, with the task and what is already done', async () => {
    const { job, effects, runId } = await stuck(world())
    const { sessionId } = await world().reprise.runs.get(runId)
    const file = world().sessionFile(sessionId ?? '')
    await world().killAgent(runId)
    // Between the attempts: it ends first, then its file goes, and our copy with it.
    await world().reprise.jobs.cancel(job.id)
    rmSync(file)
    await world().loseCopies()
    world().model.reset()
    world().model.plan([say('finished')])
    await world().reprise.jobs.retry(job.id)
    const done = await over(world(), job)
    const last = done.attempts.at(-1)
    expect(done.status).toBe('completed')
    expect(last?.decision).toMatchObject({ action: 'replay', reason: { code: 'file-missing' } })
    const saw = (await world().saw({ run: { id: last?.id ?? '' } })).join('\n')
    expect(saw).toContain(TASK)
    expect(saw).toContain(effects)
    expect(readFileSync(effects, 'utf8')).toBe('done\n')
  })

  test('J-4 attempts that worked and did not finish are capped; then it is dead, and can be brought back', async () => {
    const { job, runId } = await stuck(world(), { maxAttempts: 2 })
    const reachedAgain = fresh(world(), 'reached-again')
    world().model.plan([getStuck(reachedAgain)])
    await world().killAgent(runId)
    await appears(reachedAgain)
    const { attempts } = await world().reprise.jobs.get(job.id)
    await world().killAgent(attempts.at(-1)?.id ?? '')
    const dead = await over(world(), job)
    expect(dead).toMatchObject({ status: 'dead', step: { reason: { code: 'attempts-used' } } })
    expect(dead.attempts).toHaveLength(2)
    world().model.reset()
    world().model.plan([say('finished')])
    await world().reprise.jobs.retry(job.id)
    expect(await over(world(), job)).toMatchObject({ status: 'completed' })
  })

  test('J-5 the same key is the same job; with another body it is a conflict', async () => {
    const key = { key: newName('key'), request: 'a', note: '' }
    const first = await submit(world(), { key })
    const again = await submit(world(), { key })
    expect(again.id).toBe(first.id)
    const other = submit(world(), { key: { ...key, request: 'b' } })
    await expect(other).rejects.toMatchObject({ code: 'conflict' })
    await over(world(), first)
  })

  test('J-7 jobs of one key run one after the other', async () => {
    const concurrencyKey = newName('key')
    const jobs = await Promise.all(
      ['one', 'two'].map(prompt => submit(world(), { prompt, concurrencyKey })),
    )
    const [a, b] = await Promise.all(jobs.map(job => over(world(), job)))
    const [first, second] = [a, b].toSorted((x, y) => (x?.startedAt ?? 0) - (y?.startedAt ?? 0))
    expect(second?.attempts[0]?.startedAt).toBeGreaterThanOrEqual(first?.attempts[0]?.endedAt ?? 0)
  })

  test('J-7 a job that comes again is stored once for its next time, and ends when it is cancelled', async () => {
    const first = await submit(world(), { prompt: 'again', schedule: { everyMs: 2_000 } })
    await over(world(), first)
    const next = async () =>
      (await world().reprise.jobs.list()).filter(job => job.rootId === first.id)
    while ((await next()).length < 2) await new Promise(resolve => setTimeout(resolve, 50))
    const [second] = (await next()).toReversed()
    expect(second?.createdAt).toBeLessThanOrEqual((first.createdAt ?? 0) + 60_000)
    for (const job of await next()) await world().reprise.jobs.cancel(job.id)
    expect((await next()).filter(job => job.status === 'queued')).toEqual([])
  })

  test('J-2 a retry by hand resumes, or starts afresh when that is wanted', async () => {
    const job = await over(world(), await submit(world()))
    const session = job.attempts[0]?.sessionId
    await world().reprise.jobs.retry(job.id)
    const resumed = await over(world(), job)
    expect(resumed.attempts[1]).toMatchObject({ sessionResumed: true, sessionId: session })
    await world().reprise.jobs.retry(job.id, { resume: false })
    const afresh = await over(world(), job)
    expect(afresh.attempts[2]).toMatchObject({ sessionResumed: false })
    expect(afresh.attempts[2]?.decision).toMatchObject({ reason: { code: 'fresh-asked' } })
  })
}
