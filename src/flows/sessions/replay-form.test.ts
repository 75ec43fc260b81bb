// The form of a replay, and why it is a transcript, on the fake agent in this process.
import { describe, expect, test } from 'vitest'
import { openWritingThreads } from '../../../test/simulated/writing-world.ts'
import type { Thread, TurnOptions } from '../../api.ts'
import type { FakeScript, ScriptStep } from '../../testing/fake-agent/script.ts'

const turn = async (thread: Thread, prompt: string, options: TurnOptions = {}) =>
  (await thread.send(prompt, options).result).run

async function opened(...around: Parameters<typeof openWritingThreads>) {
  const world = await openWritingThreads(...around)
  const thread = await world.reprise.threads.create({ workDir: '/project' })
  await turn(thread, 'one')
  return { ...world, thread }
}

const FRESH = { freshSession: true }

describe('W-3 a replay', () => {
  test('is a session that Reprise writes, without anybody asking for it', async () => {
    const { thread, lastStart } = await opened()
    const run = await turn(thread, 'two', FRESH)
    expect(run.decision).toMatchObject({ action: 'replay', form: 'native' })
    expect(lastStart()).toMatchObject({
      prompt: 'two',
      history: [
        { role: 'user', text: 'one' },
        { role: 'assistant', text: 'echo: one' },
      ],
    })
  })

  test('is a transcript where `resume.replay: prompt` asks for it', async () => {
    const { thread, lastStart } = await opened([], { replay: 'prompt' })
    const run = await turn(thread, 'two', FRESH)
    expect(run.decision).toMatchObject({ action: 'replay', form: 'prompt', formBecause: 'set' })
    expect(lastStart()?.history).toEqual([])
  })

  test('F-5 is a transcript where the file that was written is not sound, and no such file is left', async () => {
    const { thread, world, loseEnds } = await opened()
    loseEnds()
    const before = world.files.paths()
    const run = await turn(thread, 'two', FRESH)
    expect(run).toMatchObject({
      status: 'completed',
      decision: { action: 'replay', form: 'prompt', formBecause: 'unsound' },
    })
    const added = world.files.paths().filter(path => !before.includes(path))
    expect(added.filter(path => path.endsWith('.jsonl'))).toEqual([
      `/config/projects/-project/${run.sessionId}.jsonl`,
    ])
  })

  test.each(['of what it wrote', 'and cannot remove it'] as const)(
    'F-5 is a transcript under another id where Reprise loses sight %s',
    async how => {
      const { thread, world, loseSight, unseen } = await opened()
      loseSight(how)
      const run = await turn(thread, 'two', FRESH)
      expect(run).toMatchObject({
        status: 'completed',
        decision: { action: 'replay', form: 'prompt', formBecause: 'disk' },
      })
      const [path = ''] = unseen
      expect(path).not.toContain(run.sessionId)
      expect(world.files.paths().includes(path)).toBe(how === 'and cannot remove it')
    },
  )

  test('F-1 F-2 M-1 that the model API refuses runs once more with the transcript, is retired, and is not paid for', async () => {
    const { thread, world } = await opened([
      { when: 'resume', do: [{ type: 'apiError', status: 400, message: 'messages: no' }] },
    ])
    const starts = world.runner.journal.length
    const run = await turn(thread, 'two', FRESH)
    expect(run).toMatchObject({
      status: 'completed',
      decision: { action: 'replay', form: 'prompt', formBecause: 'refused' },
    })
    expect(world.runner.journal.length - starts).toBe(2)
    const { runs, sessions } = await thread.show()
    const refused = runs.at(-2)
    expect(refused).toMatchObject({
      status: 'failed',
      decision: { form: 'native' },
      failure: { class: 'bad-request' },
      continuedBy: run.id,
      usage: { inputTokens: 0, outputTokens: 0 },
    })
    const written = sessions.find(({ sessionId }) => sessionId === refused?.sessionId)
    expect(written).toMatchObject({ pointer: 'retired', retiredBecause: { code: 'refused' } })
    // What was refused once is not written again for this thread.
    const next = await turn(thread, 'three', FRESH)
    expect(next.decision).toMatchObject({ form: 'prompt', formBecause: 'failed' })
    expect(world.runner.journal.length - starts).toBe(3)
  })

  test('F-3 that the model API refuses after a tool ran is not repeated', async () => {
    const { thread, world } = await opened([
      {
        when: 'resume',
        do: [
          { type: 'tool', name: 'Bash', input: { command: 'x' }, result: 'done' },
          { type: 'apiError', status: 400, message: 'messages: no' },
        ],
      },
    ])
    const starts = world.runner.journal.length
    const run = await turn(thread, 'two', FRESH)
    expect(run).toMatchObject({ status: 'failed', failure: { toolsRan: 1 }, continuedBy: null })
    expect(world.runner.journal.length - starts).toBe(1)
  })

  test.each([
    ['crashes', { type: 'exit', code: 3, withoutResult: true }],
    ['saves nothing', { type: 'noPersistence' }],
  ] as const)(
    'F-4 on which the agent %s is not written again for the same program',
    async (...row) => {
      const [, step] = row
      const { thread } = await opened([{ when: 'resume', do: [step] }])
      const first = await turn(thread, 'in a written session', FRESH)
      expect(first.decision).toMatchObject({ form: 'native' })
      const again = await turn(thread, 'afresh', FRESH)
      expect(again).toMatchObject({
        status: 'completed',
        decision: { action: 'replay', form: 'prompt', formBecause: 'failed' },
      })
    },
  )

  test('F-4 takes the place of a session of the agent that failed twice', async () => {
    const { thread } = await opened([
      { when: 'crash', do: [{ type: 'exit', code: 3, withoutResult: true }] },
    ])
    for (const prompt of ['crash', 'crash again']) await turn(thread, prompt)
    const run = await turn(thread, 'go on')
    expect(run).toMatchObject({
      status: 'completed',
      decision: { reason: { code: 'session-retired' }, form: 'native' },
    })
  })

  test('T-10 of a fork of a thread goes on with the model of its answers, which it gets by name', async () => {
    const { thread, reprise, lastStart } = await opened([], {}, { model: null })
    const { model } = (await thread.show()).runs[0] ?? {}
    const fork = await thread.fork()
    const run = await turn(fork, 'in the fork')
    expect(run.decision).toMatchObject({ reason: { code: 'no-session' }, form: 'native' })
    const args = lastStart()?.args ?? []
    expect(args[args.indexOf('--model') + 1]).toBe(model)
    // Another agent has said nothing yet, so nobody knows which model it would choose.
    const other = await turn(await reprise.threads.get(thread.id), 'you', { agent: 'second' })
    expect(other.decision).toMatchObject({ form: 'prompt', formBecause: 'model' })
  })
})

describe('F-2 W-3 after a refused resume of a session that Reprise wrote', () => {
  const GONE: FakeScript[number] = { when: 'gone', once: true, do: [{ type: 'refuseResume' }] }
  const first = (step: ScriptStep): FakeScript => [
    { when: 'written', once: true, do: [step] },
    GONE,
  ]
  const WRITTEN = { form: 'native' }
  const FAILED = { form: 'prompt', formBecause: 'failed' }
  const IN_WRITTEN = 'a new session that is written with the conversation so far'
  const IN_TRANSCRIPT = 'a new session with the transcript'

  test.each([
    ['it had answered', [GONE], 0, IN_WRITTEN, WRITTEN],
    ['it had answered often', [GONE], 12, IN_WRITTEN, WRITTEN],
    [
      'the network had failed its first run',
      first({ type: 'apiError', status: 503, message: 'away' }),
      0,
      IN_WRITTEN,
      WRITTEN,
    ],
    [
      'its first run had crashed',
      first({ type: 'exit', code: 3, withoutResult: true }),
      0,
      IN_TRANSCRIPT,
      FAILED,
    ],
    [
      'its first run had crashed, and it has answered since',
      first({ type: 'exit', code: 3, withoutResult: true }),
      1,
      IN_WRITTEN,
      WRITTEN,
    ],
  ] as const)(
    'the log says what the next run brings, and it does: %s',
    async (_, script, answers, words, decision) => {
      const { thread, reprise } = await opened([...script])
      const written = await turn(thread, 'written', FRESH)
      expect(written.decision).toMatchObject({ form: 'native' })
      for (let count = 0; count < answers; count += 1) await turn(thread, 'more')
      const run = await turn(thread, 'gone')
      expect(run).toMatchObject({ status: 'completed', decision })
      const refused = (await thread.show()).runs.at(-2)
      expect(refused?.sessionId).toBe(written.sessionId)
      const said = await reprise.runs.events(refused?.id ?? '')
      expect(said.find(event => event.type === 'fallback')?.words).toContain(words)
    },
  )
})

describe('C-2 W-3 a model that does not exist', () => {
  const MISSING: FakeScript = [
    {
      when: 'mistaken',
      once: true,
      do: [{ type: 'apiError', status: 404, message: 'model: opsu' }],
    },
  ]
  const modelIn = (args: readonly string[] = []) =>
    args.includes('--model') ? args[args.indexOf('--model') + 1] : null

  test.each([
    ['a resume', {}],
    ['a replay', FRESH],
  ])('is named in one turn alone: %s goes on with that of the last answer', async (_, options) => {
    const { thread, lastStart, world } = await opened(MISSING, {}, { model: null })
    world.clock.pass(1_000)
    const model = (await thread.show()).runs[0]?.model
    const mistaken = await turn(thread, 'mistaken', { ...options, model: 'opsu' })
    expect(mistaken).toMatchObject({ status: 'failed', failure: { class: 'model-not-found' } })
    const run = await turn(thread, 'two', options)
    expect(run).toMatchObject({ status: 'completed', model })
    expect(modelIn(lastStart()?.args)).toBe(model)
  })

  test('in a first turn leaves the choice to the agent', async () => {
    const { reprise, lastStart } = await openWritingThreads(MISSING, {}, { model: null })
    const thread = await reprise.threads.create({ workDir: '/project' })
    await turn(thread, 'mistaken', { model: 'opsu' })
    expect(await turn(thread, 'two')).toMatchObject({ status: 'completed' })
    expect(modelIn(lastStart()?.args)).toBeNull()
    const run = await turn(thread, 'three', FRESH)
    expect(run).toMatchObject({ decision: { form: 'native' }, status: 'completed' })
    expect(run.model).not.toBe('opsu')
  })
})

describe('W-3 D-6 a session that was too full', () => {
  const FULL: FakeScript = [
    {
      when: 'fill',
      do: [
        { type: 'tool', name: 'Write', input: { content: 'in '.repeat(1_000) }, result: 'written' },
        {
          type: 'billed',
          usage: { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 190_000, outputTokens: 9 },
        },
      ],
    },
  ]

  test.each([
    [0.8, 'the oldest message is there'],
    [0.1, 'the oldest message is left out'],
  ] as const)(
    'is written shorter, and within a threshold of %d',
    async (contextThreshold, what) => {
      const { thread, world } = await opened(FULL, { contextThreshold })
      await turn(thread, `oldest ${'word '.repeat(12_000)}`)
      await turn(thread, 'fill')
      const run = await turn(thread, 'and now?')
      expect(run.decision).toMatchObject({ reason: { code: 'context-full' }, form: 'native' })
      const got = world.files.text(`/config/projects/-project/${run.sessionId}.jsonl`) ?? ''
      expect(got).toContain('characters left out')
      expect(got.includes('oldest word')).toBe(what === 'the oldest message is there')
      expect(got.includes('messages of this conversation are left out')).toBe(
        contextThreshold < 0.5,
      )
    },
  )
})
