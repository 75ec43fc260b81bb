// V-4, T-10, I2: several `reprise send` on one thread at once. One runs, the others wait; never two on one session.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Run } from '../../src/core/run/run.ts'
import type { JournalLine } from '../../src/testing/fake-agent/journal.ts'
import { ended } from '../e2e/cli/cli-world.ts'
import { FaultWorld, until } from './fault-world.ts'
import { checkVisible } from './sequences/check-turn.ts'

let world: FaultWorld
beforeEach(async () => {
  world = await new FaultWorld().open()
})
afterEach(() => world.close())

/** A turn that stands still until `release` is called. */
async function heldTurn(threadId: string, prompt: string) {
  const [go, reached] = [world.path(`go ${prompt}`), world.path(`reached ${prompt}`)]
  world.script([
    { when: prompt, once: true, do: [{ type: 'waitForFile', path: go, reached }] },
    { do: [] },
  ])
  const child = world.start(['send', '-t', threadId, '--json', prompt])
  child.stdin?.end()
  const end = ended(child)
  await until('the agent stands still', () => existsSync(reached))
  return { child, end, release: () => writeFileSync(go, '') }
}

/** The journal is written in the order in which things happen: no start may come before the end of the one before. */
function overlaps(): number {
  const text = readFileSync(world.journalFile, 'utf8').trimEnd()
  const lines = text.split('\n').map(line => JSON.parse(line) as JournalLine)
  const going = new Set<string>()
  let overlapping = 0
  for (const { kind, id } of lines) {
    if (kind === 'start') {
      if (going.size > 0) overlapping += 1
      going.add(id)
    }
    if (kind === 'end') going.delete(id)
  }
  return overlapping
}

/** Every agent was given all that was on the branch before its prompt, and every message is there once. */
async function expectInOrder(threadId: string, prompts: readonly string[]): Promise<void> {
  const branch = await world.look(store => store.branch(threadId))
  const asked = branch.filter(({ role }) => role === 'user').map(({ text }) => text)
  expect(asked.toSorted()).toEqual([...prompts].toSorted())
  expect(branch.map(({ role }) => role)).toEqual(asked.flatMap(() => ['user', 'assistant']))
  for (const entry of await world.journal()) {
    const run = await world.look(store => store.run(entry.env.REPRISE_RUN_ID ?? ''))
    const at = branch.findIndex(({ id }) => id === run?.promptMessageId)
    const prompt = branch[at]?.text ?? ''
    const given = { branch: branch.slice(0, at), view: 'all', agent: 'claude-code' } as const
    checkVisible(entry, { ...given, prompt })
  }
}

test.each([2, 4])('V-4 T-10 %i senders at once take turns, in one order for all', async count => {
  world.script([{ do: [{ type: 'text', text: 'Done.' }] }])
  const { threadId } = await world.json(['send', 'ask-0;'])
  const prompts = Array.from({ length: count }, (_, index) => `ask-${index + 1};`)
  const ends = await Promise.all(
    prompts.map(prompt => world.run(['send', '-t', threadId, '--json', prompt])),
  )
  expect(ends.map(({ code }) => code)).toEqual(prompts.map(() => 0))
  const runs = ends.map(({ out }) => (JSON.parse(out) as { run: Run }).run)
  // One session for all of them: each continues what the one before it has said.
  expect(new Set(runs.map(run => run.sessionId)).size).toBe(1)
  expect(runs.map(run => run.decision?.action)).toEqual(prompts.map(() => 'resume'))
  expect(overlaps()).toBe(0)
  await expectInOrder(threadId, ['ask-0;', ...prompts])
  await world.expectHealthy()
})

test('T-10 with --no-wait a second sender is exit 4, and its prompt is not on the branch', async () => {
  const { threadId } = await world.json(['send', 'ask-0;'])
  const held = await heldTurn(threadId, 'ask-1;')
  expect(world.processes().length).toBeGreaterThan(0)
  const refused = await world.run(['send', '-t', threadId, '--no-wait', 'ask-2;'])
  expect(refused.code).toBe(4)
  expect(refused.err).toMatch(/^error: .*busy.*\nhint: .*reprise runs cancel .*\n/)
  held.release()
  expect(await held.end).toMatchObject({ code: 0 })
  await expect.poll(() => world.processes()).toEqual([])
  const branch = await world.look(store => store.branch(threadId))
  expect(branch.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([
    'ask-0;',
    'ask-1;',
  ])
  await world.expectHealthy()
})

test('V-4 U-3 when the running sender is killed, the queued one goes on after its agent is gone', async () => {
  const { threadId } = await world.json(['send', 'ask-0;'])
  const held = await heldTurn(threadId, 'ask-1;')
  const [first] = (await world.journal()).slice(-1)
  expect(world.processes()).toContain(first?.pid)
  const queued = world.run(['send', '-t', threadId, '--json', 'ask-2;'])
  await until('the second is queued', () =>
    world.look(async store => (await store.listRuns({ status: 'queued', limit: 2 })).length === 1),
  )
  const [go, reached] = [world.path('go'), world.path('reached')]
  world.script([
    {
      do: [
        { type: 'waitForFile', path: go, reached },
        { type: 'text', text: 'On.' },
      ],
    },
  ])
  held.child.kill('SIGKILL')
  await until('the second runs', () => existsSync(reached))
  expect(world.processes(), 'the agent of the killed one').not.toContain(first?.pid)
  writeFileSync(go, '')
  const { code, out } = await queued
  expect(code, out).toBe(0)
  const { run } = JSON.parse(out) as { run: Run }
  expect(run).toMatchObject({ status: 'completed', decision: { action: 'resume' } })
  const [killed] = await world.look(store => store.listRuns({ status: 'interrupted', limit: 5 }))
  expect(killed).toMatchObject({ failure: { class: 'supervisor-died' } })
  const branch = await world.look(store => store.branch(threadId))
  const asked = branch.filter(({ role }) => role === 'user').map(({ text }) => text)
  expect(asked).toEqual(['ask-0;', 'ask-1;', 'ask-2;'])
  const [entry] = (await world.journal()).slice(-1)
  const shown = branch.slice(
    0,
    branch.findIndex(({ text }) => text === 'ask-2;'),
  )
  const given = { branch: shown, view: 'all', agent: 'claude-code', prompt: 'ask-2;' } as const
  if (entry) checkVisible(entry, given)
  await world.expectHealthy()
})
