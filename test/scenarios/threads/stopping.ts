// Scenarios of turns that are stopped, killed or have to wait: nothing is left behind, nothing is lost.
import { expect, test } from 'vitest'
import { MAY_HAVE_RUN } from '../../../src/core/conversation/interruption.ts'
import type { RunEvent, Thread, Turn } from '../../../src/index.ts'
import { appears, getStuck, say } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { expectInOrder, focused } from './continuing.ts'

export function stoppingScenarios(world: () => Harness): void {
  /** A turn in the middle of a tool call. */
  const stuck = async (thread: Thread): Promise<{ turn: Turn; runId: string }> => {
    const reached = world().path(`${thread.id}.reached`)
    world().model.plan([getStuck(reached)])
    const turn = thread.send('run it', { allowedTools: ['Bash'] })
    const { runId } = await turn.submitted
    await appears(reached)
    return { turn, runId }
  }

  const expectContinues = async (thread: Thread) => {
    const next = await world().turn(thread, 'what happened?')
    expect(next.run.status).toBe('completed')
    expect(next.text).toBe('echo: what happened?')
    const saw = (await world().saw(next)).join('\n')
    expect(saw).toContain('hello')
    expect(saw.split('run it')).toHaveLength(2)
  }

  test('U-3 a turn cancelled in the middle of a tool call leaves no process; the next one goes on', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'hello')
    const { turn, runId } = await stuck(thread)
    expect(world().processesOf(runId).length).toBeGreaterThan(1)
    await turn.cancel()
    const { run } = await turn.result
    expect(run).toMatchObject({ id: runId, status: 'cancelled', exit: { endedBy: 'cancelled' } })
    expect(world().processesOf(runId)).toEqual([])
    await expectContinues(thread)
  })

  test('U-3 F-3 an agent killed in the middle of a tool call: interrupted, nothing left, not repeated', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'hello')
    const { turn, runId } = await stuck(thread)
    const spawns = world().spawns
    await world().killAgent(runId)
    const { run } = await turn.result
    expect(run).toMatchObject({
      status: 'interrupted',
      exit: { signal: 'SIGKILL' },
      failure: { class: 'agent-crashed', toolsRan: 1 },
    })
    expect(world().spawns).toBe(spawns)
    expect(world().processesOf(runId)).toEqual([])
    await expectContinues(thread)
  })

  test('U-3 closing Reprise ends its runs; they are interrupted and can be continued', async () => {
    const thread = await world().thread()
    await world().turn(thread, 'hello')
    const { turn, runId } = await stuck(thread)
    await world().restart()
    expect(world().processesOf(runId)).toEqual([])
    expect((await turn.result).run.status).toBe('interrupted')
    expect(await world().reprise.runs.get(runId)).toMatchObject({ status: 'interrupted' })
    await expectContinues(await world().reprise.threads.get(thread.id))
  })

  test.each([
    ['cancelled', null, (turn: Turn) => turn.cancel()],
    ['stopped by its time limit', 8_000, async () => {}],
    ['interrupted by somebody else', null, interruptAgent],
  ] as const)(
    'F-7 U-3 a call that was running when its run was %s may have taken effect: stored, reported, replayed',
    async (_, limitMs, stop) => {
      const { id } = await world().thread()
      const hello = await world().turn(await world().reprise.threads.get(id), 'hello')
      // On a busy machine the agent needs more time to come to its call.
      const totalMs = Math.max(limitMs ?? 0, 5 * (hello.run.durationMs ?? 0))
      await world().restart({ limits: limitMs === null ? {} : { totalMs } })
      const { turn, runId } = await stuck(await world().reprise.threads.get(id))
      await stop(turn, () => world().agentProcess(runId))
      await turn.result.catch(() => {})
      await world().restart()
      const again = await world().reprise.threads.get(id)
      const answer = (await again.show()).messages.at(-1)
      expect(answer).toMatchObject({ interrupted: true, tools: [{ name: 'Bash', result: null }] })
      const next = await world().turn(again, 'what happened?')
      expect(next.run.decision?.action).toBe('resume')
      const prompt = (await world().saw(next)).at(-1) ?? ''
      expectInOrder(prompt, ['how it ended is not known', 'sleep 600', MAY_HAVE_RUN])
      expect(prompt).not.toContain('NOT written')
      const replayed = await world().turn(again, 'and now?', { freshSession: true })
      const written = (await world().saw(replayed)).join('\n')
      expect(replayed.run.decision).toMatchObject({ action: 'replay', form: 'native' })
      expectInOrder(written, ['sleep 600', 'How this call ended is not known', 'what happened?'])
      expect(written).not.toContain('NOT written')
      await world().restart({ resume: { replay: 'prompt' } })
      const told = await world().turn(await world().reprise.threads.get(id), 'and in the prompt?', {
        freshSession: true,
      })
      await world().restart()
      const transcript = (await world().saw(told)).join('\n')
      expectInOrder(transcript, ['how it ended is not known', 'sleep 600', 'what happened?'])
      expect(transcript).not.toContain('NOT written')
    },
  )
}

/** A turn that waits has no agent yet. */
export function waitingScenarios(world: () => Harness): void {
  test('T-10 a message sent while a run is going waits, then resumes', async () => {
    const thread = await world().thread()
    const gate = world().gate()
    world().model.plan([say('first answer', gate)])
    const first = thread.send('first')
    await gate.reached
    const second = thread.send('second')
    const events: RunEvent[] = []
    const queued = Promise.withResolvers<void>()
    const reading = (async () => {
      for await (const event of second) {
        events.push(event)
        if (event.type === 'queued') queued.resolve()
      }
    })()
    await queued.promise
    const { runId } = await second.submitted
    expect(await world().reprise.runs.get(runId)).toMatchObject({ status: 'queued' })
    gate.open()
    const [one, two] = await Promise.all([first.result, second.result])
    await reading
    expect([one.run.status, two.run.status]).toEqual(['completed', 'completed'])
    expect(events[0]).toMatchObject({ type: 'queued', behind: one.run.id })
    expect(two.run).toMatchObject({ sessionResumed: true, sessionId: one.run.sessionId })
    expect(await world().saw(two)).toEqual(['first', 'first answer', focused('second')])
  })

  test('T-10 a message that shall not wait fails at once and changes nothing', async () => {
    const thread = await world().thread()
    const gate = world().gate()
    world().model.plan([say('first answer', gate)])
    const first = thread.send('first')
    await gate.reached
    await expect(thread.send('second', { whenBusy: 'fail' }).result).rejects.toMatchObject({
      code: 'busy',
      hint: expect.stringContaining('reprise runs cancel'),
    })
    gate.open()
    await first.result
    const texts = (await thread.show()).messages.map(message => message.text)
    expect(texts).toEqual(['first', 'first answer'])
  })
}

async function interruptAgent(_: Turn, agentProcess: () => number): Promise<void> {
  process.kill(agentProcess(), 'SIGINT')
}
