// What an approval and a continuation may do to a chain, and what Reprise then tells the agent: the fake one in this process.
import { describe, expect, test } from 'vitest'
import { CLIMBS, openChains, policyWith, verdict } from '../../../test/simulated/chain-world.ts'
import { eventually } from '../../../test/simulated/processes.ts'
import { interruptedWords } from '../../core/conversation/interruption.ts'
import { NO_BUDGET } from '../../core/money/budget.ts'
import type { FakeScript, ScriptStep } from '../../testing/fake-agent/script.ts'

const MINUTE = 60_000
const KILLED: ScriptStep = { type: 'killSelf', signal: 'SIGKILL' }
const HANG: ScriptStep = { type: 'hang' }
const oneMinute = { ...NO_BUDGET, wallClockMs: MINUTE }

/** A call that never returns. */
const call = (file: string): ScriptStep => ({
  ...{ type: 'tool', name: 'Read', input: { file_path: file }, result: null },
})

/** Each tier waits for a person. */
const asks = (change: Parameters<typeof policyWith>[0] = {}) =>
  policyWith(change, { approval: 'ask', allowedTools: ['Read'] })

describe('an approval', () => {
  test('E-2 names the run of the tier at once, and the chain says that a person let it in', async () => {
    const { world, reprise, start } = await openChains([
      { when: 'as tier 2', do: [HANG] },
      ...CLIMBS,
    ])
    const { id } = await start({ policy: asks() }).result
    await reprise.chains.approve(id).result
    const approved = reprise.chains.approve(id)
    const { chainId, runId } = await approved.submitted
    expect(chainId).toBe(id)
    await eventually(() => world.runner.running).toEqual([runId])
    expect(await reprise.chains.get(id)).toMatchObject({
      ...{ status: 'running', tier: 2 },
      because: { code: 'approved', tier: 2 },
      runs: [{ tier: 1 }, { id: expect.stringMatching(/^run_/), tier: 2 }],
    })
    await reprise.chains.cancel(id)
  })

  test('M-2 does not lift the budget: a chain that has waited too long starts nothing', async () => {
    const { world, reprise, start } = await openChains()
    const { id } = await start({ policy: asks({ budget: oneMinute }) }).result
    await reprise.chains.approve(id).result
    world.clock.pass(2 * MINUTE)
    const approved = reprise.chains.approve(id)
    expect(await approved.submitted).toEqual({ chainId: id, runId: null })
    expect(await approved.result).toMatchObject({
      status: 'held',
      because: { code: 'budget-spent', of: 'chain', tier: 2 },
      runs: [{ tier: 1 }],
    })
    expect(world.runner.journal).toHaveLength(1)
  })

  test('E-2 of a chain that was broken off is refused, and a continuation of one that never began', async () => {
    const { reprise, start } = await openChains([{ do: [KILLED] }])
    const broken = await start().result
    await expect(reprise.chains.approve(broken.id).result).rejects.toMatchObject({
      code: 'conflict',
    })
    const held = await start({ policy: asks() }).result
    await expect(reprise.chains.continue(held.id).result).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await reprise.chains.get(held.id)).toEqual(held)
    expect(await reprise.chains.cancel(held.id)).toMatchObject({ status: 'cancelled', tier: 0 })
  })

  test('U-1 waits for a slot, and the log says so', async () => {
    const { world, reprise, start } = await openChains(
      [{ when: 'in the way', do: [HANG] }, ...CLIMBS],
      { maxRunning: 1 },
    )
    const { id } = await start({ policy: asks() }).result
    const thread = await reprise.threads.create({ workDir: '/project' })
    const inTheWay = thread.send('in the way')
    await eventually(() => world.runner.running.length).toBe(1)
    const approved = reprise.chains.approve(id)
    const { runId } = await approved.submitted
    const [first] = await reprise.runs.events(runId ?? '')
    expect(first).toMatchObject({ type: 'queued', words: 'waits for a slot: 1 of 1 turns run' })
    await inTheWay.cancel()
    expect(await approved.result).toMatchObject({ status: 'held', tier: 1 })
  })
})

describe('a continuation', () => {
  const again: FakeScript = [{ do: [verdict('resolved')] }]

  test('M-2 is refused when the time of the chain is over, and the chain stays broken off', async () => {
    const { world, reprise, start } = await openChains([{ once: true, do: [KILLED] }, ...again])
    const broken = await start({ policy: policyWith({ budget: oneMinute }) }).result
    world.clock.pass(2 * MINUTE)
    await expect(reprise.chains.continue(broken.id).result).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(`^chain ${broken.id} cannot go on: .*budget`),
      hint: 'Start another chain with a higher budget: `reprise escalate --budget`.',
    })
    expect(await reprise.chains.get(broken.id)).toEqual(broken)
  })

  test('E-2 names the run that broke off', async () => {
    const { world, reprise, start } = await openChains([
      { once: true, do: [KILLED] },
      { do: [HANG] },
    ])
    const broken = await start().result
    const { runId } = await reprise.chains.continue(broken.id).submitted
    await eventually(() => world.runner.running).toEqual([runId])
    const { because } = await reprise.chains.get(broken.id)
    expect(because).toEqual({ code: 'continued', tier: 1, runId: broken.runs[0]?.id })
    await reprise.chains.cancel(broken.id)
  })

  test('F-3 tells the open calls of all broken-off runs of the tier and of no other, and what happened', async () => {
    const { world, reprise, start } = await openChains([
      { when: 'as tier 1', once: true, do: [call('below'), KILLED] },
      { when: 'attempt 3', do: [verdict('resolved')] },
      { when: 'as tier 1', do: [verdict('escalate')] },
      { when: 'attempt 2', do: [call('second'), KILLED] },
      { do: [call('first'), KILLED] },
    ])
    const policy = policyWith({}, { allowedTools: ['Read'] })
    const { id } = await start({ policy }).result
    expect(await reprise.chains.continue(id).result).toMatchObject({ status: 'failed', tier: 2 })
    const broken = await reprise.chains.continue(id).result
    const done = await reprise.chains.continue(id).result
    expect(done).toMatchObject({ status: 'resolved', tier: 2 })
    const prompt = world.runner.journal.at(-1)?.prompt ?? ''
    expect(prompt).toContain(interruptedWords(broken.runs.at(-1)?.failure?.class ?? 'unknown'))
    // Blocks of earlier prompts are quoted in it, and then do not begin a line.
    const [, calls = ''] = /^<calls-\w+>\n(.*?)\n<\/calls-/ms.exec(prompt) ?? []
    expect(calls.split('\n')).toEqual(['Read {"file_path":"first"}', 'Read {"file_path":"second"}'])
  })

  test('F-3 speaks of no interruption when no agent ever started', async () => {
    const { world, reprise, start, die } = await openChains(
      [{ when: 'in the way', do: [HANG] }, ...again],
      { maxRunning: 1 },
    )
    const thread = await reprise.threads.create({ workDir: '/project' })
    void thread.send('in the way').result.catch(() => {})
    await eventually(() => world.runner.running.length).toBe(1)
    const { chainId } = await start().submitted
    die()
    const { reprise: other } = world.open({ keepQueue: true })
    await eventually(async () => (await other.chains.get(chainId)).status).toBe('failed')
    expect(await other.chains.continue(chainId).result).toMatchObject({ status: 'resolved' })
    expect(world.runner.journal.at(-1)?.prompt).not.toContain('was interrupted')
  })
})
