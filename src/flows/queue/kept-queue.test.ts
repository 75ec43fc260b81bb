// A daemon keeps its queue: when it stops or dies, the next daemon runs the turns that wait in it.
import { describe, expect, test } from 'vitest'
import { eventually, type ProcessOptions, processes } from '../../../test/simulated/processes.ts'
import type { TurnOptions } from '../../api.ts'
import { RepriseError } from '../../errors.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'
import {
  LEASE_MS,
  sampleFailure,
  sampleStart,
  sampleThread,
  sampleTurn,
} from '../../testing/store-conformance/samples.ts'

const KEEPS = { keepQueue: true }
const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1e6 }
const output = { verdict: 'resolved', summary: 'seen', reason: 'because', findings: [] }
// A transcript holds the first prompt too, so only the first start hangs.
const SCRIPT: FakeScript = [
  { when: 'hang', once: true, do: [{ type: 'hang' }] },
  {
    when: 'dear',
    do: [{ type: 'billed', usage }, { type: 'text', text: 'dear' }, { type: 'hang' }],
  },
  { when: 'fix it', do: [{ type: 'verdict', output }] },
]

type World = Awaited<ReturnType<typeof processes>>

/** One turn that runs and one behind it, when the process stops. */
async function stopWithQueue(
  world: World,
  keeps: ProcessOptions,
  { prompt = 'behind', ...options }: TurnOptions & { prompt?: string } = {},
) {
  const { reprise, die } = world.open(keeps)
  const thread = await reprise.threads.create({ workDir: '/project' })
  const going = thread.send('hang')
  for await (const event of going) if (event.type === 'started') break
  const behind = thread.send(prompt, options)
  const { runId } = await behind.submitted
  await eventually(async () => (await reprise.runs.get(runId)).waitsFor?.code).toBe('thread-busy')
  await reprise.close()
  const refused = await behind.result.catch((error: unknown) => error)
  die()
  return { threadId: thread.id, runId, going: await going.result, refused }
}

/** A turn whose first run was refused, and one behind it, when the process dies. Gives them as they shall run. */
async function leaveContinuedTurn({ store }: World): Promise<readonly string[]> {
  const owner = { host: 'here', pid: 1_000, startTime: '1', keepsQueue: true as const }
  const thread = sampleThread({ workDir: '/project' })
  await store.createThread(thread, [])
  const [turn, behind] = [sampleTurn(thread.id), sampleTurn(thread.id)]
  const { run, lease } = await store.submitAndClaim({ ...turn, owner }, 1_000, LEASE_MS)
  if (!lease) throw new Error('nobody else is on the thread')
  await store.startRun(lease, sampleStart(run.id))
  await store.submitTurn({ ...behind, owner }, 1_100)
  await store.endRun(lease, sampleFailure(run, { next: { runId: 'run_again' } }))
  return ['run_again', behind.run.id]
}

async function expectAllRun(
  world: World,
  runIds: readonly string[],
  store?: ProcessOptions['store'],
): Promise<void> {
  const onlyOurs = { isAlive: ({ pid }: { pid: number }) => pid !== 1_000 }
  const { reprise } = world.open({ ...KEEPS, dependencies: onlyOurs, ...(store && { store }) })
  const runs = () => Promise.all(runIds.map(runId => reprise.runs.get(runId)))
  const statuses = async () => (await runs()).map(run => run.status)
  await eventually(statuses).toEqual(['completed', 'completed'])
  // The order in which the agent was started: nothing else tells it when no time passes.
  const started = world.runner.journal.map(({ env }) => env.REPRISE_RUN_ID)
  expect(started).toEqual(runIds)
  expect(await reprise.verify()).toEqual([])
}

describe('a queue that is kept', () => {
  test('I1 waits for the next process that keeps it, which runs it', async () => {
    const world = await processes(SCRIPT)
    const { runId, going, refused } = await stopWithQueue(world, KEEPS)
    expect(going.run.status).toBe('interrupted')
    expect(refused).toMatchObject({
      code: 'cancelled',
      message: `run ${runId} stays in the queue: this process stops`,
      hint: 'It runs when the daemon is started again: reprise serve.',
    })
    const { reprise: verb } = world.open()
    expect((await verb.runs.get(runId)).status).toBe('queued')
    const { reprise: next } = world.open(KEEPS)
    await eventually(async () => (await next.runs.get(runId)).status).toBe('completed')
    expect(await next.verify()).toEqual([])
  })

  test('M-2 keeps to the limits it was sent with, in every process that runs it', async () => {
    const world = await processes(SCRIPT)
    const limits = { budgetUsd: 0.5, maxTurns: 3 }
    const { runId } = await stopWithQueue(world, KEEPS, { ...limits, prompt: 'dear' })
    const { reprise: next } = world.open(KEEPS)
    await eventually(async () => (await next.runs.get(runId)).endedAt).not.toBe(null)
    expect(await next.runs.get(runId)).toMatchObject({ failure: { class: 'budget' } })
    expect(world.runner.journal.at(-1)?.args).toEqual(expect.arrayContaining(['--max-turns', '3']))
  })

  test('blocks nobody: the turn that waits behind it ends it, and its prompt is kept', async () => {
    const world = await processes(SCRIPT)
    const { threadId, runId } = await stopWithQueue(world, KEEPS)
    const { reprise: verb } = world.open()
    const other = await verb.threads.create({ workDir: '/project' })
    await other.send('elsewhere').result
    expect((await verb.runs.get(runId)).status).toBe('queued')
    const thread = await verb.threads.get(threadId)
    const { run } = await thread.send('mine').result
    expect(run.status).toBe('completed')
    expect(await verb.runs.get(runId)).toMatchObject({ status: 'interrupted', startedAt: null })
  })

  test('nor in the way of a turn that goes on from an earlier point of the thread', async () => {
    const world = await processes(SCRIPT)
    const { threadId, runId } = await stopWithQueue(world, KEEPS)
    const { reprise: verb } = world.open()
    const thread = await verb.threads.get(threadId)
    const [prompt] = (await thread.show()).messages
    const { run } = await thread.retry(prompt?.id ?? '', { text: 'instead' }).result
    expect(run.status).toBe('completed')
    expect(await verb.runs.get(runId)).toMatchObject({ status: 'interrupted', startedAt: null })
  })

  test('I1 runs a turn that goes on in another run before the one that was behind it', async () => {
    const world = await processes()
    await expectAllRun(world, await leaveContinuedTurn(world))
  })

  test('I1 nobody waits for ever when the turns are handed over in another order', async () => {
    const world = await processes()
    await expectAllRun(world, await leaveContinuedTurn(world), store => ({
      ...store,
      openRuns: async () => (await store.openRuns()).toReversed(),
    }))
  })

  test('I1 of a process that lives is left to it', async () => {
    const world = await processes(SCRIPT)
    const { reprise: first } = world.open(KEEPS)
    const thread = await first.threads.create({ workDir: '/project' })
    const going = thread.send('hang')
    for await (const event of going) if (event.type === 'started') break
    const behind = thread.send('behind')
    const { runId } = await behind.submitted
    const { reprise: second } = world.open(KEEPS)
    await second.agents()
    await going.cancel()
    expect((await behind.result).run).toMatchObject({ id: runId, status: 'completed' })
    expect(world.runner.journal).toHaveLength(2)
  })

  test('without keeping, a stop ends what waits, and says how to send it again', async () => {
    const world = await processes(SCRIPT)
    const { threadId, runId, refused } = await stopWithQueue(world, {})
    const { reprise: next } = world.open(KEEPS)
    const run = await next.runs.get(runId)
    const hint = `Send its prompt again: reprise threads retry ${threadId} ${run.promptMessageId}.`
    expect(run).toMatchObject({
      status: 'interrupted',
      startedAt: null,
      failure: {
        class: 'shutdown',
        message: 'Reprise was stopped in order before this run began',
        hint,
      },
    })
    const message = `run ${runId} did not begin: this process stops`
    expect(refused).toMatchObject({ code: 'cancelled', message, hint })
  })

  test('U-4 without keeping, a chain that waits for a slot when the process stops can be continued', async () => {
    const world = await processes(SCRIPT)
    const workDir = '/project'
    const { reprise } = world.open({ maxRunning: 1 })
    const going = (await reprise.threads.create({ workDir })).send('hang')
    for await (const event of going) if (event.type === 'started') break
    const { policy } = sampleMandate()
    const waits = reprise.chains.start({ policy, prompt: 'fix it', workDir })
    const { chainId } = await waits.submitted
    await reprise.close()
    const hint = `Continue the chain: reprise chains continue ${chainId}.`
    await expect(waits.result).rejects.toMatchObject({ code: 'cancelled', hint })
    const { reprise: next } = world.open(KEEPS)
    expect(await next.chains.get(chainId)).toMatchObject({
      because: { code: 'run-interrupted' },
      runs: [{ status: 'interrupted', startedAt: null, failure: { class: 'shutdown', hint } }],
    })
    expect((await next.chains.continue(chainId).result).status).toBe('resolved')
  })

  test.each(['store-unusable', 'store-full', 'busy'] as const)(
    'outlives a store that fails for a while (%s); without keeping, the caller gets the error',
    async code => {
      const world = await processes()
      let failures = 2
      const flaky: ProcessOptions['store'] = store => ({
        ...store,
        submitAndClaim: async (turn, now) => ({
          run: await store.submitTurn(turn, now),
          lease: null,
        }),
        claimTurn: async (...claim) => {
          if (failures-- > 0) throw new RepriseError(code, 'no space', 'make room')
          return store.claimTurn(...claim)
        },
      })
      const { reprise } = world.open({ ...KEEPS, store: flaky })
      const thread = await reprise.threads.create({ workDir: '/project' })
      const turn = thread.send('hello')
      await eventually(() => {
        world.clock.pass(1_000)
        return failures
      }).toBeLessThan(0)
      expect((await turn.result).run.status).toBe('completed')
      failures = 1
      const { reprise: verb } = world.open({ store: flaky })
      const refused = (await verb.threads.get(thread.id)).send('again')
      await expect(refused.result).rejects.toMatchObject({ code })
      const { runId } = await refused.submitted
      expect((await verb.runs.get(runId)).status).toBe('cancelled')
    },
  )
})
