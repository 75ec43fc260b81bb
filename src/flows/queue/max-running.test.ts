// How many turns of a process run at a time, and in which order the others get their slot.
import { afterEach, describe, expect, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import type { LocalReprise } from '../../api.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import { createReprise } from '../../reprise.ts'
import type { Runner } from '../../runner/runner.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { createFakeRunner } from '../../testing/fake-runner.ts'
import { smallWorld } from '../../testing/in-process-agent.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

let reprise: LocalReprise
afterEach(() => reprise.close())

/** Counts the agents that live, and notes who was started. */
async function open(maxRunning: number, script: FakeScript = []) {
  const files = await smallWorld()
  const fake = createFakeRunner({ files, script, hangs: 'until-stopped' })
  const alive = { now: 0, most: 0 }
  const runner: Runner = {
    ...fake,
    start: async (...started) => {
      alive.now += 1
      alive.most = Math.max(alive.most, alive.now)
      const process = await fake.start(started[0], started[1], started[2])
      void process.exit.then(() => {
        alive.now -= 1
      })
      return process
    },
  }
  const keepText = async (text: string) => {
    await files.write('/kept', text)
    return '/kept'
  }
  reprise = createReprise({
    store: sqlite(':memory:'),
    agents: [claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })],
    environment: {},
    maxRunning,
    workers: 4,
    dependencies: { files, runner, keepText },
  })
  const prompts = () => fake.journal.map(entry => entry.prompt.split('\n').at(-1))
  return { alive, prompts }
}

const newThread = () => reprise.threads.create({ workDir: '/project' })

async function started(events: AsyncIterable<RunEvent>): Promise<void> {
  for await (const event of events) if (event.type === 'started') return
}

describe('the cap on running turns', () => {
  test('U-3 holds for 100 turns at once, and all of them run, in the order in which they came', async () => {
    const { alive, prompts } = await open(3)
    const threads = await Promise.all(Array.from({ length: 100 }, newThread))
    const turns = threads.map((thread, at) => thread.send(`turn ${at}`))
    const results = await Promise.all(turns.map(turn => turn.result))
    expect(new Set(results.map(({ run }) => run.status))).toEqual(new Set(['completed']))
    expect(alive.most).toBe(3)
    const begun = prompts().map(prompt => Number(prompt?.split(' ')[1]))
    // Those that run at the same time may overtake each other between slot and start.
    expect(begun.every((turn, at) => Math.abs(turn - at) < 3)).toBe(true)
  })

  test('U-3 is shared by turns, jobs and chains, and a chain keeps its slot from tier to tier', async () => {
    const escalates = [
      { when: 'as tier 1', do: [verdict('escalate')] },
      { when: 'as tier 2', do: [verdict('resolved')] },
    ]
    const { alive } = await open(1, escalates as FakeScript)
    const thread = await newThread()
    const chains = Array.from({ length: 3 }, () =>
      reprise.chains.start({
        policy: sampleMandate().policy,
        prompt: 'fix it',
        workDir: '/project',
      }),
    )
    const submitted = Array.from({ length: 3 }, () =>
      reprise.jobs.submit({ prompt: 'work', workDir: '/project', checkpoints: 'off' }),
    )
    const turns = ['a', 'b', 'c'].map(prompt => thread.send(prompt).result)
    const jobs = (await Promise.all(submitted)).map(({ id }) => reprise.jobs.wait(id))
    const ended = await Promise.all([
      ...turns.map(turn => turn.then(({ run }) => run.status)),
      ...jobs.map(job => job.then(({ status }) => status)),
      ...chains.map(chain => chain.result.then(({ status, runs }) => `${status} ${runs.length}`)),
    ])
    expect(ended).toEqual([...Array(6).fill('completed'), ...Array(3).fill('resolved 2')])
    expect(alive.most).toBe(1)
  })

  test('U-3 a thread with many turns does not hold up the others', async () => {
    const { prompts } = await open(1, [{ when: 'first', do: [{ type: 'sleep', ms: 50 }] }])
    const [busy, other] = [await newThread(), await newThread()]
    const first = busy.send('first')
    await first.submitted
    const behind = ['second', 'third', 'fourth'].map(prompt => busy.send(prompt))
    for (const turn of behind) await turn.submitted
    const last = other.send('of another thread')
    await last.submitted
    await Promise.all([first, ...behind, last].map(turn => turn.result))
    expect(prompts().slice(0, 3)).toEqual(['first', 'of another thread', 'second'])
  })

  test('U-1 a turn that waits for a slot is queued and says why', async () => {
    await open(1, [{ when: 'hang', do: [{ type: 'hang' }] }])
    const going = (await newThread()).send('hang')
    await started(going)
    const waiting = (await newThread()).send('next')
    const [firstEvent] = await Array.fromAsync(firstOf(waiting))
    const words = 'waits for a slot: 1 of 1 turns run'
    const { runId } = await waiting.submitted
    expect(firstEvent).toMatchObject({ type: 'queued', runId, seq: 1, behind: null, words })
    const waitsFor = { code: 'no-slot', running: 1, max: 1, words }
    expect(await reprise.runs.get(runId)).toMatchObject({ status: 'queued', waitsFor })
    await going.cancel()
    expect((await waiting.result).run).toMatchObject({ status: 'completed' })
    expect(await reprise.runs.get(runId)).not.toHaveProperty('waitsFor')
  })

  test('T-10 a turn that must not wait fails because there is no slot, and a turn that waits can be cancelled', async () => {
    await open(1, [{ when: 'hang', do: [{ type: 'hang' }] }])
    const going = (await newThread()).send('hang')
    await started(going)
    const refused = (await newThread()).send('now', { whenBusy: 'fail' })
    await expect(refused.result).rejects.toMatchObject({
      code: 'busy',
      message: '1 of 1 turns run: there is no slot for another',
    })
    const waiting = (await newThread()).send('next')
    const { runId } = await waiting.submitted
    expect(await reprise.runs.cancel(runId)).toMatchObject({ status: 'cancelled' })
    await expect(waiting.result).rejects.toMatchObject({ code: 'cancelled' })
    const after = (await newThread()).send('after')
    await after.submitted
    await going.cancel()
    expect((await after.result).run.status).toBe('completed')
  })

  test('T-10 nobody edits, retries or removes a thread on which a turn waits for its slot', async () => {
    const { prompts } = await open(1, [{ when: 'hang', do: [{ type: 'hang' }] }])
    const thread = await newThread()
    const { messageId } = await thread.send('one').result
    const going = (await newThread()).send('hang')
    await started(going)
    const waiting = thread.send('two')
    await waiting.submitted
    const busy = { code: 'busy' }
    await expect(thread.retry(messageId).result).rejects.toMatchObject(busy)
    await expect(thread.send('instead', { after: messageId }).result).rejects.toMatchObject(busy)
    await expect(thread.edit(messageId, 'other')).rejects.toMatchObject(busy)
    await expect(thread.truncate(messageId)).rejects.toMatchObject(busy)
    await expect(thread.remove()).rejects.toMatchObject(busy)
    await going.cancel()
    expect((await waiting.result).run).toMatchObject({ status: 'completed', sessionResumed: true })
    expect(prompts()).toEqual(['one', 'hang', 'two'])
    const said = (await thread.show()).messages.map(message => message.text)
    expect(said).toEqual(['one', 'echo: one', 'two', 'echo: two'])
  })

  test.each([
    [{ timing: { leaseMs: 100.5 } }, 'timing.leaseMs is 100.5, not a whole number of milliseconds'],
    [{ timing: { renewMs: -1 } }, 'timing.renewMs is -1'],
    [{ questions: { expireAfterMs: Number.NaN } }, 'questions.expireAfterMs is NaN'],
    [{ sessions: { pauseAfterMs: 1.5 } }, 'sessions.pauseAfterMs is 1.5'],
    [{ workspaces: { keepMs: Number.POSITIVE_INFINITY } }, 'workspaces.keepMs is Infinity'],
  ])('U-4 %j is refused before a database is asked', async (settings, message) => {
    const options = { store: sqlite(':memory:'), agents: [claudeCode()], ...settings }
    await expect(createReprise(options).threads.list()).rejects.toMatchObject({
      code: 'bad-config',
      message: expect.stringContaining(message),
    })
  })

  test.each([0, 1.5, Number.NaN])('U-4 %d is no number of turns', async maxRunning => {
    await open(1)
    const options = { store: sqlite(':memory:'), agents: [claudeCode()], maxRunning }
    expect(() => createReprise(options)).toThrow('not a whole number over 0')
  })
})

function verdict(is: 'escalate' | 'resolved') {
  const output = { verdict: is, summary: 'seen', reason: 'because', findings: [] }
  return { type: 'verdict', output } as const
}

async function* firstOf<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const one of all) {
    yield one
    return
  }
}
