// A turn in whose middle Reprise itself fails: which of its runs ends how, and what the next turn finds.
import { expect, test } from 'vitest'
import { eventually, type ProcessOptions, processes } from '../../../test/simulated/processes.ts'
import { RepriseError } from '../../errors.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

const REPORT = 'This is a fault of Reprise: run `reprise verify`, and please report it.'

/** The start of a run fails, so often, after so many that worked. */
function failingStart(after: number, error: Error, times = 1): ProcessOptions['store'] {
  let starts = 0
  return store => ({
    ...store,
    startRun: async (...start) => {
      starts += 1
      if (starts > after && starts <= after + times) throw error
      return store.startRun(...start)
    },
  })
}

async function openThread(script: FakeScript, store: ProcessOptions['store']) {
  const world = await processes(script)
  const { reprise } = world.open({ ...(store && { store }) })
  const thread = await reprise.threads.create({ workDir: '/project' })
  return { world, reprise, thread }
}

test('I9 a fault of our own ends the run as interrupted, with a hint to report it, and the thread goes on', async () => {
  const fault = new TypeError('a fault of our own')
  const { reprise, thread } = await openThread([], failingStart(1, fault))
  await thread.send('one').result
  await expect(thread.send('two').result).rejects.toThrow('a fault of our own')
  const [run] = await reprise.runs.list()
  expect(run).toMatchObject({
    status: 'interrupted',
    failure: {
      class: 'supervisor-died',
      message: 'a fault of our own',
      hint: REPORT,
      toolsRan: 0,
    },
  })
  expect((await thread.send('three').result).run.status).toBe('completed')
  expect(await reprise.verify()).toEqual([])
})

test('I9 F-2 a fault in the run that takes over after a refused resume ends that run, not the refused one', async () => {
  const failed = new RepriseError('store-unusable', 'the disk failed', 'Mount it again.')
  const { reprise, thread } = await openThread(
    [{ when: 'resume', once: true, do: [{ type: 'refuseResume' }] }],
    failingStart(2, failed),
  )
  await thread.send('one').result
  await expect(thread.send('two').result).rejects.toMatchObject({ code: 'store-unusable' })
  const [last, refused] = await reprise.runs.list()
  expect(refused).toMatchObject({
    status: 'failed',
    failure: { class: 'resume-refused' },
    continuedBy: last?.id,
  })
  expect(last).toMatchObject({
    status: 'interrupted',
    failure: {
      class: 'supervisor-died',
      message: 'the disk failed',
      hint: 'Mount it again.',
    },
  })
  expect((await thread.send('three').result).run.status).toBe('completed')
})

test('I9 a fault in a higher tier ends the run of that tier, and the chain can be continued', async () => {
  const verdict = (word: string) => ({ verdict: word, summary: word, reason: 'because' })
  const world = await processes([
    { when: 'as tier 1', do: [{ type: 'verdict', output: verdict('escalate') }] },
    { do: [{ type: 'verdict', output: verdict('resolved') }] },
  ])
  const store = failingStart(1, new Error('a fault of our own'))
  const { reprise } = world.open({ ...(store && { store }) })
  const { policy } = sampleMandate()
  const chain = reprise.chains.start({ policy, prompt: 'check', workDir: '/project' })
  await expect(chain.result).rejects.toThrow('a fault of our own')
  const { chainId } = await chain.submitted
  expect((await reprise.chains.get(chainId)).runs).toMatchObject([
    { tier: 1, status: 'completed' },
    { tier: 2, status: 'interrupted', failure: { class: 'supervisor-died', hint: REPORT } },
  ])
  const { result } = reprise.chains.continue(chainId)
  expect((await result).status).toBe('resolved')
})

test('I9 a turn that is cancelled while it waits for its session is cancelled, and no agent starts', async () => {
  const busy = new RepriseError('busy', 'another run has the session', 'Wait.')
  const { world, reprise, thread } = await openThread([], failingStart(0, busy, 1_000_000))
  const turn = thread.send('one')
  const { runId } = await turn.submitted
  await eventually(async () => (await world.store.run(runId))?.status).toBe('queued')
  await turn.cancel()
  expect(await reprise.runs.get(runId)).toMatchObject({
    status: 'cancelled',
    failure: {
      class: 'cancelled',
      message: 'the turn was cancelled while it waited',
      hint: 'Send the prompt again: `reprise send -t`.',
    },
  })
  expect(world.runner.journal).toEqual([])
})

test('I9 a run whose end is stored stays as it ended when the next read of the store fails', async () => {
  let isBroken = false
  const { reprise, thread } = await openThread([], store => ({
    ...store,
    endRun: async (...end) => {
      const step = await store.endRun(...end)
      isBroken = true
      return step
    },
    run: async id => {
      if (!isBroken) return store.run(id)
      isBroken = false
      throw new RepriseError('store-unusable', 'the disk failed', 'Try again.')
    },
  }))
  await expect(thread.send('one').result).rejects.toMatchObject({ code: 'store-unusable' })
  const [run] = await reprise.runs.list()
  expect(run).toMatchObject({ status: 'completed', failure: null })
  expect((await thread.show()).messages.map(({ text }) => text)).toEqual(['one', 'echo: one'])
})

test('I9 M-1 a run that breaks off keeps its cost when the store also fails at the first try to end it', async () => {
  const failed = new RepriseError('store-unusable', 'the disk failed', 'Mount it again.')
  const failures = new Set(['endRun', 'cachedRuntime'])
  const { reprise, thread } = await openThread([], store => ({
    ...store,
    endRun: async (...end) => {
      if (failures.delete('endRun')) throw failed
      return store.endRun(...end)
    },
    cachedRuntime: async key => {
      if (!failures.has('endRun') && failures.delete('cachedRuntime')) throw failed
      return store.cachedRuntime(key)
    },
  }))
  await expect(thread.send('one').result).rejects.toMatchObject({ code: 'store-unusable' })
  const [run] = await reprise.runs.list()
  await eventually(async () => (await reprise.runs.get(run?.id ?? '')).status).toBe('interrupted')
  expect((await reprise.runs.get(run?.id ?? '')).costUsd).toBeGreaterThan(0)
  expect([...failures]).toEqual([])
})
