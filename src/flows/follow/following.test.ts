// Who follows runs, turns, jobs or everything gets each event once and in order, whichever process stores it.
import { describe, expect, test } from 'vitest'
import { eventually, processes } from '../../../test/simulated/processes.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import type { FakeScript, ScriptStep } from '../../testing/fake-agent/script.ts'

const GATE: ScriptStep = { type: 'waitForFile', path: '/go', reached: '/waits' }
const SCRIPT: FakeScript = [
  { when: 'gated', do: [{ type: 'text', text: 'half' }, GATE, { type: 'text', text: 'whole' }] },
  { when: 'hang', do: [{ type: 'text', text: 'half' }, { type: 'hang' }] },
  { when: 'refused', once: true, do: [{ type: 'refuseResume' }] },
]

async function open(script: FakeScript = SCRIPT, workers = 0) {
  const world = await processes(script)
  const { reprise, die } = world.open({ workers })
  const thread = await reprise.threads.create({ workDir: '/project' })
  return { world, reprise, thread, die }
}

/** Reads in the background, so that a test can look at what came so far. */
function reading(events: AsyncIterable<RunEvent>) {
  const seen: RunEvent[] = []
  const over = (async () => {
    for await (const event of events) seen.push(event)
    return seen
  })()
  over.catch(() => {})
  return { seen, over, types: () => seen.map(({ type }) => type) }
}

const all = (events: AsyncIterable<RunEvent>) => reading(events).over
const places = (events: readonly RunEvent[]) => events.map(({ runId, seq }) => `${runId} ${seq}`)

describe('I10 a reader of a run', () => {
  test('gets all of its events after it has ended, or those after a number', async () => {
    const { reprise, thread } = await open()
    const { run } = await thread.send('hello').result
    const stored = await reprise.runs.events(run.id)
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, at) => at + 1))
    expect(stored.at(-1)).toMatchObject({ type: 'ended', runId: run.id })
    expect(await all(reprise.runs.follow(run.id))).toEqual(stored)
    expect(await all(reprise.runs.follow(run.id, { after: 2 }))).toEqual(stored.slice(2))
    expect(await reprise.runs.events(run.id, 1, 2)).toEqual(stored.slice(1, 3))
    expect(await all(reprise.runs.follow(run.id, { after: stored.length }))).toEqual([])
  })

  test('gets them while it runs, in this process and in another one', async () => {
    const { world, reprise, thread } = await open()
    const turn = thread.send('gated')
    const { runId } = await turn.submitted
    const { reprise: other } = world.open()
    const readers = [reprise, other].map(from => reading(from.runs.follow(runId)))
    for (const reader of readers) await eventually(reader.types).toContain('text')
    await world.files.write('/go', '')
    await turn.result
    const stored = await reprise.runs.events(runId)
    for (const { over } of readers) expect(await over).toEqual(stored)
  })

  test('gets its end also when its process dies: the follower ends it', async () => {
    const { world, thread, die } = await open()
    const { runId } = await thread.send('hang').submitted
    const { reprise: other } = world.open()
    const { over, types } = reading(other.runs.follow(runId))
    await eventually(types).toContain('text')
    die()
    await eventually(() => {
      world.clock.pass(1_000)
      return types()
    }).toContain('ended')
    expect((await over).at(-1)).toMatchObject({ status: 'interrupted' })
  })

  test('may stop at any time, and gets nothing more', async () => {
    const { world, reprise, thread } = await open()
    const turn = thread.send('gated')
    const { runId } = await turn.submitted
    const enough = new AbortController()
    const { over, types } = reading(reprise.runs.follow(runId, { signal: enough.signal }))
    await eventually(types).toContain('text')
    enough.abort()
    expect((await over).map(({ type }) => type)).not.toContain('ended')
    expect(await all(reprise.runs.follow(runId, { signal: AbortSignal.abort() }))).toEqual([])
    await world.files.write('/go', '')
    await turn.result
  })

  test('gets the end of a run that is removed meanwhile', async () => {
    const { world, reprise, thread } = await open()
    const { run } = await thread.send('hello').result
    const stored = await reprise.runs.events(run.id)
    const reader = reading(reprise.runs.follow(run.id, { after: stored.length + 5 }))
    await thread.remove()
    expect(await reader.over).toEqual([])
    await expect(all(reprise.runs.follow(run.id))).rejects.toMatchObject({ code: 'not-found' })
    expect(world.runner.running).toEqual([])
  })

  test('reads no longer when Reprise closes', async () => {
    const { world, reprise, thread } = await open()
    const { runId } = await thread.send('hang').submitted
    const { reprise: other } = world.open()
    const { over, types } = reading(other.runs.follow(runId))
    await eventually(types).toContain('text')
    await other.close()
    expect((await over).map(({ type }) => type)).not.toContain('ended')
    expect((await reprise.runs.get(runId)).status).toBe('running')
  })

  test('learns that there is no such run', async () => {
    const { reprise } = await open()
    const missing = { code: 'not-found' }
    await expect(reprise.runs.events('run_none')).rejects.toMatchObject(missing)
    await expect(all(reprise.runs.follow('run_none'))).rejects.toMatchObject(missing)
    await expect(all(reprise.turns.follow('run_none'))).rejects.toMatchObject(missing)
  })
})

describe('U-6 a reader of a turn', () => {
  test('gets the events of all its runs, from any place on', async () => {
    const { reprise, thread } = await open()
    await thread.send('hello').result
    const { run } = await thread.send('refused').result
    const [, refused] = await reprise.runs.list()
    const runIds = [refused?.id ?? '', run.id]
    const stored = (await Promise.all(runIds.map(id => reprise.runs.events(id)))).flat()
    const followed = (options?: Parameters<typeof reprise.turns.follow>[1]) =>
      all(reprise.turns.follow(runIds[0] ?? '', options))
    expect(places(await followed())).toEqual(places(stored))
    for (const at of [1, stored.findIndex(({ type }) => type === 'ended'), stored.length - 2]) {
      const { runId = '', seq = 0 } = stored[at] ?? {}
      const rest = await followed({ after: { runId, seq } })
      expect(places(rest)).toEqual(places(stored.slice(at + 1)))
    }
    expect(await followed({ signal: AbortSignal.abort() })).toEqual([])
    expect(places(await all(reprise.turns.follow(run.id)))).toEqual(
      places(stored.filter(({ runId }) => runId === run.id)),
    )
  })

  const questions = [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }]
  const ASKS: FakeScript = [
    { when: 'choose', do: [{ type: 'ask', questions }] },
    { when: 'resume', do: [{ type: 'text', text: 'then b' }] },
  ]

  test('T-7a learns in which run it went on after somebody answered elsewhere, and so does its sender', async () => {
    const { world, reprise, thread } = await open(ASKS)
    const turn = thread.send('choose', { questions: 'ask' })
    const { runId } = await turn.submitted
    const { over, types } = reading(reprise.turns.follow(runId))
    await eventually(types).toContain('question')
    const { reprise: other } = world.open()
    const [question] = await other.runs.questions(runId)
    const { toolUseId = '' } = question ?? {}
    const { run } = await other.runs.answer(runId, { toolUseId, content: 'b' })
    const result = await turn.result
    expect(result).toMatchObject({ text: 'then b', run: { id: run.continuedBy } })
    expect((await over).at(-1)).toMatchObject({ runId: run.continuedBy, type: 'ended' })
  })

  test('T-7 a turn that waits for an answer is cancelled by its sender', async () => {
    const { world, thread } = await open(ASKS)
    const turn = thread.send('choose', { questions: 'ask' })
    const { runId } = await turn.submitted
    await eventually(async () => (await world.store.run(runId))?.status).toBe('waiting')
    await turn.cancel()
    expect((await turn.result).run).toMatchObject({ id: runId, status: 'cancelled' })
  })

  test('T-7 a turn that waits for an answer gives its run as it is when Reprise closes', async () => {
    const { world, reprise, thread } = await open(ASKS)
    const turn = thread.send('choose', { questions: 'ask' })
    const { runId } = await turn.submitted
    await eventually(async () => (await world.store.run(runId))?.status).toBe('waiting')
    await reprise.close()
    expect((await turn.result).run).toMatchObject({ id: runId, status: 'waiting' })
  })
})

describe('U-6 a reader of a job', () => {
  const BREAKS: FakeScript = [
    { when: 'new', once: true, do: [{ type: 'killSelf', signal: 'SIGKILL' }] },
    { do: [{ type: 'text', text: 'done' }] },
  ]
  const wanted = { prompt: 'work', workDir: '/project', checkpoints: 'off' } as const

  test('gets the events of all attempts as they come, from any place on, until the job is over', async () => {
    const { world, reprise } = await open(BREAKS, 1)
    const { id } = await reprise.jobs.submit({ ...wanted, backoff: { firstMs: 60_000, jitter: 0 } })
    const live = reading(reprise.jobs.follow(id))
    await eventually(async () => (await reprise.jobs.get(id)).status).toBe('waiting')
    await eventually(live.types).toContain('ended')
    await eventually(async () => {
      world.clock.pass(60_000)
      return (await reprise.jobs.get(id)).status
    }).toBe('completed')
    const { attempts } = await reprise.jobs.get(id)
    const stored = (await Promise.all(attempts.map(run => reprise.runs.events(run.id)))).flat()
    await eventually(() => {
      world.clock.pass(1_000)
      return places(live.seen)
    }).toEqual(places(stored))
    await live.over
    expect(places(await all(reprise.jobs.follow(id)))).toEqual(places(stored))
    const at = stored.findIndex(({ type }) => type === 'ended')
    const { runId = '', seq = 0 } = stored[at] ?? {}
    const rest = await all(reprise.jobs.follow(id, { after: { runId, seq } }))
    expect(places(rest)).toEqual(places(stored.slice(at + 1)))
    expect(await reprise.log.runsOfJob(id)).toEqual({ runs: attempts, isOver: true })
  })

  test('ends with nothing when the job is over before it began, is removed, or nobody waits any more', async () => {
    const { world, reprise } = await open(BREAKS)
    const ended = reading(reprise.jobs.follow((await reprise.jobs.submit(wanted)).id))
    const [cancelled] = await reprise.jobs.list()
    expect((await reprise.log.runsOfJob(cancelled?.id ?? '')).isOver).toBe(false)
    await reprise.jobs.cancel(cancelled?.id ?? '')
    const { id } = await reprise.jobs.submit(wanted)
    const removed = reading(reprise.jobs.follow(id))
    const enough = new AbortController()
    const left = reading(reprise.jobs.follow(id, { signal: enough.signal }))
    enough.abort()
    expect(await left.over).toEqual([])
    await reprise.jobs.remove(id)
    const isOver = Promise.all([ended.over, removed.over])
    const passing = setInterval(() => world.clock.pass(1_000), 5)
    expect(await isOver).toEqual([[], []])
    clearInterval(passing)
  })

  test('learns that there is no such job, and that a run is no attempt of it', async () => {
    const { reprise, thread } = await open(BREAKS)
    await expect(all(reprise.jobs.follow('job_none'))).rejects.toMatchObject({ code: 'not-found' })
    await expect(reprise.log.runsOfJob('job_none')).rejects.toMatchObject({ code: 'not-found' })
    const { run } = await thread.send('hello').result
    const { id } = await reprise.jobs.submit(wanted)
    const stray = reprise.jobs.follow(id, { after: { runId: run.id, seq: 1 } })
    await expect(all(stray)).rejects.toMatchObject({
      code: 'not-found',
      message: `${run.id} is no attempt of job ${id}`,
      hint: `Run \`reprise jobs show ${id}\` to see them.`,
    })
    const none = reprise.jobs.follow(id, { after: { runId: 'run_none', seq: 1 } })
    await expect(all(none)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('U-6 a reader of everything', () => {
  test('gets events of all runs and changes of threads, also those of another process, after a position', async () => {
    const { world, reprise, thread } = await open()
    await thread.send('hello').result
    const { log } = reprise
    const position = await log.lastPosition()
    const change = await log.lastChange()
    expect(position).toBeGreaterThan(0)
    const enough = new AbortController()
    const seen: { position: number; type?: string; kind?: string }[] = []
    const over = (async () => {
      for await (const one of log.followAll({ position, change }, enough.signal))
        seen.push(one as never)
    })()
    const { reprise: other } = world.open()
    await other.threads.rename(thread.id, 'another title')
    const { run } = await (await other.threads.get(thread.id)).send('more').result
    await eventually(() => seen.filter(one => 'seq' in one).length).toBe(
      (await reprise.runs.events(run.id)).length,
    )
    await eventually(() => seen.some(one => !('seq' in one))).toBe(true)
    enough.abort()
    await over
    const events = seen.filter(one => 'seq' in one)
    expect(events).toEqual(await log.ofAll(position, 1_000))
    expect(await log.ofAll(await log.lastPosition(), 10)).toEqual([])
  })

  test('finds no change before the first event, and none before one that is not there', async () => {
    const { reprise, thread } = await open()
    const { log } = reprise
    await thread.send('hello').result
    expect(await log.changeBefore(0)).toBe(0)
    expect(await log.changeBefore(1_000_000)).toBe(0)
    const last = await log.changeBefore(await log.lastPosition())
    expect(last).toBeLessThanOrEqual(await log.lastChange())
  })
})
