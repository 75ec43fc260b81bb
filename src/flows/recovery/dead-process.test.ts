// What the next process does with the runs of one that died, in one process: the store of a dead one answers no more.
import { expect, test } from 'vitest'
import { eventually, processes, START } from '../../../test/simulated/processes.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

const CALL = { type: 'tool', name: 'Bash', input: { command: 'make' }, result: 'made' } as const
const HALF: FakeScript = [
  { when: 'work', do: [{ type: 'text', text: 'half of it' }, CALL, { type: 'hang' }] },
]

async function until(turn: AsyncIterable<RunEvent>, type: RunEvent['type']): Promise<string> {
  for await (const event of turn) if (event.type === type) return event.runId
  throw new Error(`the turn ended without an event ${type}`)
}

/** A process that dies while its agent works, after so much of the turn was stored. */
async function dyingIn(world: Awaited<ReturnType<typeof processes>>, at: RunEvent['type']) {
  const { reprise, die } = world.open()
  const thread = await reprise.threads.create({ workDir: '/project' })
  await thread.send('hello').result
  const runId = await until(thread.send('work'), at)
  die()
  return { runId, threadId: thread.id }
}

test('I1 I9 the run of a dead process ends as interrupted with what the agent said and did, and the agent does not go on', async () => {
  const world = await processes(HALF)
  const { runId, threadId } = await dyingIn(world, 'tool-result')
  expect(world.runner.running).toEqual([runId])
  world.clock.pass(5_000)
  const { reprise } = world.open()
  expect(await reprise.runs.get(runId)).toMatchObject({
    status: 'interrupted',
    endedAt: START + 5_000,
    failure: {
      class: 'supervisor-died',
      message: 'The process that supervised this run died before the run ended.',
      hint: 'Go on with the next message: `reprise send -t`.',
      toolsRan: 1,
    },
  })
  expect(world.runner.running).toEqual([])
  const thread = await reprise.threads.get(threadId)
  const { messages } = await thread.show()
  expect(messages.at(-1)).toMatchObject({
    text: 'half of it',
    interrupted: true,
    tools: [{ name: 'Bash', result: 'made' }],
  })
  const { run } = await thread.send('next').result
  expect(run).toMatchObject({ status: 'completed', decision: { action: 'resume' } })
  expect(await reprise.verify()).toEqual([])
})

test('I1 all that the agent did is found again, however many events the run has', async () => {
  const world = await processes([
    { when: 'work', do: [{ type: 'unknownEvents', events: 1_100 }, CALL, { type: 'hang' }] },
  ])
  const { runId, threadId } = await dyingIn(world, 'tool-result')
  // Of its session, nothing is left to read.
  for (const path of world.files.paths())
    if (path.endsWith('.jsonl')) await world.files.remove(path)
  const { reprise } = world.open()
  expect((await reprise.runs.get(runId)).failure?.toolsRan).toBe(1)
  const { messages } = await (await reprise.threads.get(threadId)).show()
  expect(messages.at(-1)?.tools).toMatchObject([{ name: 'Bash', result: 'made' }])
})

test('I9 a run whose agent is gone from this machine ends too, and says how many tools ran', async () => {
  const world = await processes(HALF)
  const { runId } = await dyingIn(world, 'tool-result')
  const { reprise } = world.open({ agents: [] })
  expect(await reprise.runs.get(runId)).toMatchObject({
    status: 'interrupted',
    failure: { class: 'supervisor-died', toolsRan: 1 },
  })
  expect(await reprise.verify()).toEqual([])
})

test('I1 I9 a run that had not started when its process died ends, and its prompt is kept', async () => {
  const world = await processes()
  const never = new Promise<never>(() => {})
  const dying = world.open({ store: store => ({ ...store, startRun: () => never }) })
  const thread = await dying.reprise.threads.create({ workDir: '/project' })
  const { runId } = await thread.send('hello').submitted
  dying.die()
  const { reprise } = world.open()
  const run = await reprise.runs.get(runId)
  expect(run).toMatchObject({ status: 'interrupted', decision: null })
  expect(await world.store.message(run.promptMessageId ?? '')).toMatchObject({ text: 'hello' })
  const going = await reprise.threads.get(thread.id)
  expect((await going.send('next').result).run.status).toBe('completed')
})

test('I1 I9 a turn that waited in the queue of a dead process ends, and says why', async () => {
  const world = await processes(HALF)
  const dying = world.open()
  const thread = await dying.reprise.threads.create({ workDir: '/project' })
  await until(thread.send('work'), 'started')
  const { runId } = await thread.send('behind').submitted
  dying.die()
  world.clock.pass(7_000)
  const { reprise } = world.open()
  expect(await reprise.runs.get(runId)).toMatchObject({
    status: 'interrupted',
    startedAt: null,
    endedAt: START + 7_000,
    failure: {
      class: 'supervisor-died',
      message: 'The process that had queued this turn ended before its turn came.',
    },
  })
})

test('I2 a run of a process that lives is left alone by one that opens the store', async () => {
  const world = await processes(HALF)
  const { reprise: first } = world.open()
  const thread = await first.threads.create({ workDir: '/project' })
  const runId = await until(thread.send('work'), 'tool-result')
  const { reprise } = world.open()
  expect((await reprise.runs.get(runId)).status).toBe('running')
  expect(world.runner.running).toEqual([runId])
})

test('I9 an end that the store cannot take at once is written by the same process later', async () => {
  const world = await processes(HALF)
  const { runId } = await dyingIn(world, 'tool-result')
  let failures = 2
  const { reprise } = world.open({
    store: store => ({
      ...store,
      endRun: async (...end) => {
        if (failures-- > 0) throw new RepriseError('store-full', 'no space', 'make room')
        return store.endRun(...end)
      },
    }),
  })
  expect((await reprise.runs.get(runId)).status).toBe('running')
  expect((await reprise.runs.get(runId)).status).toBe('interrupted')
})

test.each(['lease-lost', 'conflict'] as const)(
  'I9 a run whose end somebody else wrote first (%s) is not ended again',
  async code => {
    const world = await processes(HALF)
    const { runId } = await dyingIn(world, 'tool-result')
    let tries = 0
    const { reprise } = world.open({
      store: store => ({
        ...store,
        endRun: async () => {
          tries += 1
          throw new RepriseError(code, 'another process was faster', 'wait for it')
        },
      }),
    })
    for (const _ of [1, 2]) await reprise.runs.get(runId)
    expect(tries).toBe(1)
  },
)

test.each([
  ['before a stop began counts', false, 'made'],
  ['after a stop began is unknown', true, null],
])('F-7 what a call gave %s, also when nobody lived to hear it', async (_, isStopping, result) => {
  const waits = { type: 'waitForFile', path: '/gate', reached: '/reached' } as const
  const then = { type: 'waitForFile', path: '/never', reached: '/made' } as const
  const world = await processes([{ when: 'work', do: [waits, CALL, then] }])
  let lease: Lease | null = null
  const dying = world.open({
    store: store => ({
      ...store,
      startRun: (held, start) => {
        lease = held
        return store.startRun(held, start)
      },
    }),
  })
  const thread = await dying.reprise.threads.create({ workDir: '/project' })
  const { runId } = await thread.send('work').submitted
  await eventually(() => world.files.text('/reached')).not.toBeNull()
  dying.fate.fallAsleep()
  await world.files.write('/gate', '')
  await eventually(() => world.files.text('/made')).not.toBeNull()
  if (isStopping && lease) await world.store.recordKill(lease, runId, 'cancelled')
  dying.die()
  const { reprise } = world.open()
  const { messages } = await (await reprise.threads.get(thread.id)).show()
  expect(messages.at(-1)?.tools).toMatchObject([{ name: 'Bash', result }])
})

const GATED: FakeScript = [
  {
    do: [
      { type: 'waitForFile', path: '/gate', reached: '/reached' },
      { type: 'tool', name: 'Write', input: { file_path: 'x' }, result: 'written', denied: false },
      { type: 'waitForFile', path: '/never', reached: '/written' },
    ],
  },
]

test('J-8 the queued attempt of a job whose process died is not run later: the job makes a new one', async () => {
  const world = await processes([
    { when: 'first', once: true, do: [{ type: 'hang' }] },
    { do: [{ type: 'text', text: 'done' }] },
  ])
  const { reprise: first, die } = world.open({ keepQueue: true, workers: 1, maxRunning: 1 })
  const thread = await first.threads.create({ workDir: '/project' })
  await until(thread.send('first'), 'started')
  const { id } = await first.jobs.submit({ prompt: 'job', workDir: '/project', checkpoints: 'off' })
  await eventually(async () => (await first.jobs.get(id)).attempts.length).toBe(1)
  die()
  const { reprise } = world.open({ keepQueue: true, workers: 1 })
  await eventually(async () => {
    world.clock.pass(1_000)
    return (await reprise.jobs.get(id)).status
  }).toBe('completed')
  const { attempts } = await reprise.jobs.get(id)
  expect(attempts.map(({ status, startedAt }) => [status, startedAt === null])).toEqual([
    ['interrupted', true],
    ['completed', false],
  ])
  expect(world.runner.journal).toHaveLength(2)
})

test('E-5 a violation that only the session file shows ends the chain as one, and it cannot be continued', async () => {
  const world = await processes(GATED)
  const { reprise: first, fate, die } = world.open()
  const { policy } = sampleMandate()
  first.chains.start({ policy, prompt: 'check', workDir: '/project' })
  await eventually(() => world.files.text('/reached')).not.toBeNull()
  // It hears nothing from here on, and is never heard again.
  fate.fallAsleep()
  await world.files.write('/gate', '')
  await eventually(() => world.files.text('/written')).not.toBeNull()
  die()
  const { reprise } = world.open()
  const [ended] = await reprise.chains.list()
  expect(ended).toMatchObject({
    status: 'failed',
    because: { code: 'run-failed', class: 'policy-violation', toolsRan: 1 },
  })
  expect(ended?.runs[0]?.failure?.message).toContain('Write ran')
  const going = reprise.chains.continue(ended?.id ?? '').result
  await expect(going).rejects.toMatchObject({ code: 'conflict' })
})

test('E-5 a call that the agent refused by itself is no violation, also when only the session file shows it', async () => {
  const world = await processes([
    {
      do: [
        { type: 'waitForFile', path: '/gate', reached: '/reached' },
        { type: 'tool', name: 'Write', input: { file_path: 'x' }, result: 'written' },
        { type: 'waitForFile', path: '/never', reached: '/refused' },
      ],
    },
  ])
  const { reprise: first, fate, die } = world.open()
  const { policy } = sampleMandate()
  const tiers = policy.tiers.map(tier => ({ ...tier, disallowedTools: ['Write'] }))
  first.chains.start({ policy: { ...policy, tiers }, prompt: 'check', workDir: '/project' })
  await eventually(() => world.files.text('/reached')).not.toBeNull()
  fate.fallAsleep()
  await world.files.write('/gate', '')
  await eventually(() => world.files.text('/refused')).not.toBeNull()
  die()
  const { reprise } = world.open()
  const [ended] = await reprise.chains.list()
  expect(ended).toMatchObject({ because: { code: 'run-interrupted' } })
  expect(ended?.runs[0]).toMatchObject({ status: 'interrupted' })
})

test('T-7a an answer whose run was broken off is in the session that goes on', async () => {
  const questions = [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }]
  const world = await processes([
    { when: 'next', do: [{ type: 'text', text: 'done' }] },
    { when: 'choose', do: [{ type: 'ask', questions }] },
    { when: 'resume', once: true, do: [{ type: 'text', text: 'b, then' }, CALL, { type: 'hang' }] },
  ])
  const { reprise: first, die } = world.open()
  const thread = await first.threads.create({ workDir: '/project' })
  const asking = await until(thread.send('choose', { questions: 'ask' }), 'question')
  const [question] = await first.runs.questions(asking)
  const { toolUseId = '' } = question ?? {}
  const { turn } = await first.runs.answer(asking, { toolUseId, content: 'b' })
  if (!turn) throw new Error('the answer is a turn of its own')
  const runId = await until(turn, 'tool-result')
  die()
  const { reprise } = world.open()
  expect(await reprise.runs.get(runId)).toMatchObject({ status: 'interrupted' })
  const going = await reprise.threads.get(thread.id)
  const { run } = await going.send('next').result
  expect(run).toMatchObject({ status: 'completed', decision: { action: 'resume' } })
  expect(await reprise.verify()).toEqual([])
})
