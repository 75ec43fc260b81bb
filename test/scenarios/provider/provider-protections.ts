// Scenarios of what every query is protected by, whichever way it takes to the agent.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { executeQuery, type ProviderMessage } from '../../../src/index.ts'
import { fail, say } from '../harness/acts.ts'
import { focused } from '../threads/continuing.ts'
import { expectCancelled, type ProviderWorld } from './provider-world.ts'

export function protectionScenarios(world: () => ProviderWorld): void {
  test('M-1 the cost of the second turn is its own, not the total of the session', async () => {
    const { first, known } = await world().begun('one')
    const second = await world().query({ prompt: 'two', ...known })
    for (const answered of [first, second])
      expect(answered.result.result.cost_usd).toBeGreaterThan(0)
    const runs = await world().harness.reprise.runs.list({ sessionId: known.sdkSessionId })
    expect(runs.toReversed().map(run => run.costUsd)).toEqual(
      [first, second].map(({ result }) => result.result.cost_usd),
    )
    for (const run of runs) {
      expect(run.costUsd).toBeCloseTo(world().harness.model.bill(run).costUsd, 6)
    }
  })

  test('H-1 /cost is no command and @file is not inlined, in a new session and in a resumed one', async () => {
    const secret = 'what only the file says'
    writeFileSync(join(world().harness.workDir, 'notes.txt'), secret)
    const { first, known } = await world().begun('/cost')
    expect(await world().modelSaw(first)).toEqual(['/cost'])
    const second = await world().query({ prompt: 'see @notes.txt', ...known })
    expect(await world().modelSaw(second)).toEqual([
      '/cost',
      'echo: /cost',
      focused('see @notes.txt'),
    ])
    const run = await world().runOf(second)
    expect(await world().harness.model.everything(run.id)).not.toContain(secret)
  })

  test('T-8 a changed system prompt reaches a resumed session', async () => {
    const { known } = await world().begun('one', { systemPrompt: 'Answer in verse.' })
    const second = await world().query({
      prompt: 'two',
      systemPrompt: 'Answer in prose.',
      ...known,
    })
    expect(second.result.result.session_resumed).toBe(true)
    const { id } = await world().runOf(second)
    const given = [
      await world().harness.model.system(id),
      ...(await world().modelSaw(second)).slice(-1),
    ]
    expect(given.join('\n')).toContain('Answer in prose.')
  })

  test('T-10 an abort in the middle yields a result of class `cancelled` and throws nothing', async () => {
    const gate = world().harness.gate()
    world().harness.model.plan([say('never said', gate)])
    const aborting = new AbortController()
    const asked = { prompt: 'wait', cwd: world().harness.workDir, signal: aborting.signal }
    const messages: ProviderMessage[] = []
    for await (const message of executeQuery(world().host, asked)) {
      messages.push(message)
      if (message.type !== 'system') continue
      await gate.reached
      aborting.abort()
    }
    const result = messages.at(-1)
    if (result?.type !== 'result') throw new Error('a query ends with a result')
    expectCancelled({ result })
    const run = await world().runOf({ result })
    expect(run.status).toBe('cancelled')
    expect(world().harness.processesOf(run.id)).toEqual([])
  })

  test.each([
    [401, 'auth'],
    [529, 'overload'],
  ])(
    'H-3 a %i of the API is a failure of class %s, with what to do about it',
    async (status, kind) => {
      world().harness.model.plan([fail(status)])
      const { result } = await world().query({ prompt: 'hello' })
      expect(result).toMatchObject({ is_error: true, result: { error: { class: kind } } })
      expect(result.result.error?.hint).not.toBe('')
    },
  )
}

/** Whose turn it is, and whether one starts at all: no agent has a part in that. */
export function waitingScenarios(world: () => ProviderWorld): void {
  test('V-4 L-4 two queries on one session never run at once: the second waits, and goes on from the history it knows', async () => {
    const { known } = await world().begun('the number is 7')
    const gate = world().harness.gate()
    world().harness.model.plan([say('the first answer', gate)])
    const first = world().query({ prompt: 'first', ...known })
    await gate.reached
    const second = world().query({ prompt: 'second', ...known })
    gate.open()
    const [one, two] = [await world().runOf(await first), await world().runOf(await second)]
    expect(two.startedAt).toBeGreaterThanOrEqual(one.endedAt ?? Number.POSITIVE_INFINITY)
    expect(await world().modelSaw(await second)).toEqual([
      'the number is 7',
      'echo: the number is 7',
      focused('second'),
    ])
  })

  test('V-4 L-4 two queries that are sent in the same moment are both answered, one after the other', async () => {
    const { known } = await world().begun('the number is 7')
    const both = await Promise.all(
      ['one', 'two'].map(prompt => world().query({ prompt, ...known })),
    )
    const runs = await Promise.all(both.map(answered => world().runOf(answered)))
    const [first, last] = runs.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0))
    expect(last?.startedAt).toBeGreaterThanOrEqual(first?.endedAt ?? Number.POSITIVE_INFINITY)
    for (const answered of both) expect(await world().modelSaw(answered)).toHaveLength(3)
  })

  test('T-10 a signal that is aborted already starts nothing; the query ends as cancelled', async () => {
    const before = world().harness.spawns
    expectCancelled(await world().query({ prompt: 'never', signal: AbortSignal.abort() }))
    expect(world().harness.spawns).toBe(before)
  })
}
