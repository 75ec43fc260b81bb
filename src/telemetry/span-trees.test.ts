// The spans of turns, chains and jobs on the fake agent in this process: exactly these, also when a process dies.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openChains, verdict } from '../../test/simulated/chain-world.ts'
import { eventually, processes, START } from '../../test/simulated/processes.ts'
import { Recorder } from '../../test/telemetry/recorder.ts'
import type { RunEvent } from '../core/run/run-events.ts'
import type { ScriptStep } from '../testing/fake-agent/script.ts'

const ON = { telemetry: true } as const
const CALL: ScriptStep = {
  ...{ type: 'tool', name: 'Bash', input: { command: 'make secret-42' }, result: 'made' },
}
const RUN = 'invoke_agent claude-code'
const TOOL = 'execute_tool Bash'
const REMOTE = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=1',
}

let recorder: Recorder
beforeEach(() => {
  recorder = new Recorder()
  recorder.register()
})
afterEach(() => recorder.unregister())

async function until(turn: AsyncIterable<RunEvent>, type: RunEvent['type']): Promise<void> {
  for await (const event of turn) if (event.type === type) return
  throw new Error(`the turn ended without an event ${type}`)
}

describe('a turn', () => {
  test('O-1 O-2 is a span with its decision, the run and the calls below it', async () => {
    const world = await processes([{ do: [CALL, { type: 'text', text: 'the answer' }] }])
    const { reprise } = world.open(ON)
    const thread = await reprise.threads.create({ workDir: '/project' })
    const { run } = await recorder.below('request', () => thread.send('the prompt').result)
    expect(recorder.trees()).toEqual([{ request: [{ turn: [{ [RUN]: [{ [TOOL]: [] }] }] }] }])
    expect(new Set(recorder.spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(recorder.named('turn')[0]).toMatchObject({
      attributes: { 'reprise.thread.id': thread.id, 'reprise.status': 'completed' },
      events: [
        {
          name: 'reprise.decision',
          attributes: {
            'reprise.decision.action': 'start',
            'reprise.decision.reason': 'first-turn',
          },
        },
      ],
      failed: false,
      start: START,
    })
    expect(recorder.named(RUN)[0]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.agent.name': 'claude-code',
      'gen_ai.conversation.id': thread.id,
      'gen_ai.response.model': run.model,
      'gen_ai.usage.output_tokens': run.usage.outputTokens,
      'reprise.run.id': run.id,
      'reprise.process': 'here:1',
      'reprise.cost.usd': run.costUsd,
    })
    expect(recorder.named(TOOL)[0]).toMatchObject({
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'Bash',
        'reprise.tool.outcome': 'done',
      },
    })
  })

  test('O-3 no span holds what a user or an agent said, nor the input or result of a call', async () => {
    const world = await processes([{ do: [CALL, { type: 'text', text: 'the answer' }] }])
    const { reprise } = world.open(ON)
    const thread = await reprise.threads.create({ workDir: '/project', title: 'the title' })
    await thread.send('the prompt', { instructions: 'be brief' }).result
    const told = JSON.stringify(recorder.spans)
    for (const text of ['the prompt', 'the answer', 'secret-42', 'made', 'the title', 'brief']) {
      expect(told).not.toContain(text)
    }
    expect(told).not.toContain('/project')
  })

  test('O-1 belongs to the trace that its sender names, with its state; a malformed one is ignored', async () => {
    const world = await processes([])
    const { reprise } = world.open(ON)
    const thread = await reprise.threads.create({ workDir: '/project' })
    await thread.send('one', { trace: REMOTE }).result
    await thread.send('two', { trace: { traceparent: 'nonsense' } }).result
    const [one, two] = recorder.named('turn')
    expect(one).toMatchObject({
      traceId: REMOTE.traceparent.slice(3, 35),
      parentId: 'b7ad6b7169203331',
    })
    expect(two?.parentId).toBeNull()
    expect(world.runner.journal.map(({ env }) => env.TRACESTATE)).toEqual(['vendor=1', ''])
  })

  test('O-1 a refused session and the run after it are one turn', async () => {
    const world = await processes([{ when: 'resume', do: [{ type: 'refuseResume' }] }])
    const { reprise } = world.open(ON)
    const thread = await reprise.threads.create({ workDir: '/project' })
    await thread.send('one').result
    recorder.spans.length = 0
    await thread.send('two').result
    expect(recorder.trees()).toEqual([{ turn: [{ [RUN]: [] }, { [RUN]: [] }] }])
    const [refused, after] = recorder.named(RUN)
    expect([refused?.failed, refused?.attributes['error.type']]).toEqual([true, 'resume-refused'])
    expect(after).toMatchObject({ failed: false })
    expect(recorder.named('turn')[0]).toMatchObject({ failed: false, events: [{}, {}] })
  })

  test('O-4 of a process that died is reported once, by the process that ends it', async () => {
    const world = await processes([{ do: [CALL, { type: 'hang' }] }])
    const first = world.open(ON)
    const thread = await first.reprise.threads.create({ workDir: '/project' })
    await until(thread.send('work', { trace: REMOTE }), 'tool-result')
    first.die()
    expect(recorder.spans).toEqual([])
    world.clock.pass(5_000)
    const second = world.open(ON)
    await (await second.reprise.threads.get(thread.id)).show()
    expect(recorder.trees()).toEqual([{ turn: [{ [RUN]: [{ [TOOL]: [] }] }] }])
    expect(recorder.named('turn')[0]?.parentId).toBe('b7ad6b7169203331')
    expect(recorder.named(RUN)[0]).toMatchObject({
      failed: true,
      start: START,
      end: START + 5_000,
      attributes: {
        'error.type': 'supervisor-died',
        'reprise.recovered': true,
        'reprise.process': 'here:2',
      },
    })
  })
})

describe('the agent of a run', () => {
  test.each([
    ['project', true],
    ['user', true],
    ['none', false],
  ] as const)('O-5 with the trust %s continues the trace: %s', async (trust, passes) => {
    const world = await processes([])
    const { reprise } = world.open(ON)
    const thread = await reprise.threads.create({ workDir: '/project' })
    await thread.send('one', { trust, trace: REMOTE }).result
    const run = recorder.named(RUN)[0]
    const ofRun = `00-${run?.traceId}-${run?.spanId}-01`
    expect(world.runner.journal[0]?.env.TRACEPARENT).toBe(passes ? ofRun : undefined)
  })
})

describe('a chain', () => {
  test('O-1 O-2 has a span for its start and one for each tier, in the trace of its start', async () => {
    const { reprise, world } = await openChains(
      [{ when: 'as tier 2', do: [verdict('resolved')] }, { do: [verdict('escalate')] }],
      ON,
    )
    const policy = (await import('../../test/simulated/chain-world.ts')).policyWith()
    const wanted = { policy, prompt: 'check', workDir: '/project' }
    const chain = await recorder.below('request', () => reprise.chains.start(wanted).result)
    expect(chain.status).toBe('resolved')
    const tier = { tier: [{ [RUN]: [] }] }
    expect(recorder.trees()).toEqual([{ request: [{ 'start chain': [tier, tier] }] }])
    expect(recorder.named('tier').map(span => span.attributes['reprise.tier'])).toEqual([1, 2])
    expect(recorder.named('start chain')[0]?.attributes['reprise.chain.id']).toBe(chain.id)
    expect(world.runner.journal.map(({ env }) => env.TRACEPARENT)).toEqual([undefined, undefined])
  })
})

describe('a job', () => {
  test('O-1 O-4 has a span for each attempt in the trace of its submission, also for the one whose worker was killed', async () => {
    const world = await processes([
      { when: 'resume', do: [{ type: 'text', text: 'done' }] },
      { do: [CALL, { type: 'hang' }] },
    ])
    const first = world.open({ ...ON, workers: 1 })
    const request = { prompt: 'work', workDir: '/project', checkpoints: 'off' } as const
    const job = await recorder.below('request', () => first.reprise.jobs.submit(request))
    await eventually(async () => world.runner.running.length).toBe(1)
    await eventually(async () => {
      const [run] = (await first.reprise.jobs.get(job.id)).attempts
      return run
        ? (await first.reprise.runs.events(run.id)).some(e => e.type === 'tool-result')
        : false
    }).toBe(true)
    first.die()
    const submitted = { request: [{ 'submit job': [] }] }
    expect(recorder.trees()).toEqual([submitted])
    world.clock.pass(60_000)
    const second = world.open({ ...ON, workers: 1 })
    await eventually(async () => {
      const { status } = await second.reprise.jobs.get(job.id)
      if (status !== 'completed') world.clock.pass(1_000)
      return status
    }).toBe('completed')
    expect(recorder.trees()).toEqual([
      {
        request: [
          {
            'submit job': [
              { attempt: [{ [RUN]: [{ [TOOL]: [] }] }] },
              { attempt: [{ [RUN]: [] }] },
            ],
          },
        ],
      },
    ])
    const attempts = recorder.named('attempt')
    expect(
      attempts.map(({ failed, attributes }) => [attributes['reprise.attempt'], failed]),
    ).toEqual([
      [1, true],
      [2, false],
    ])
  })
})

test('O-1 a process without telemetry tells nothing, and keeps the trace for one that does', async () => {
  const world = await processes([{ do: [{ type: 'hang' }] }])
  const silent = world.open()
  const thread = await silent.reprise.threads.create({ workDir: '/project' })
  await until(thread.send('work', { trace: REMOTE }), 'started')
  expect(world.runner.journal[0]?.env.TRACEPARENT).toBeUndefined()
  silent.die()
  world.open(ON).reprise.threads.list()
  await eventually(() => recorder.named('turn').length).toBe(1)
  expect(recorder.named('turn')[0]?.traceId).toBe(REMOTE.traceparent.slice(3, 35))
})
