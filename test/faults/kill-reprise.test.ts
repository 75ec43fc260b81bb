// U-3, I1, I5, I6, I9: Reprise itself is killed with SIGKILL at random moments of a turn, through the real CLI.
import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Message } from '../../src/core/conversation/messages.ts'
import type { Run } from '../../src/core/run/run.ts'
import type { ScriptStep } from '../../src/testing/fake-agent/script.ts'
import { chosenSeed, countOf } from '../counts.ts'
import { ended } from '../e2e/cli/cli-world.ts'
import { FaultWorld, randomFrom, until } from './fault-world.ts'
import { checkVisible, tokensIn } from './sequences/check-turn.ts'

const KILLS = countOf('REPRISE_KILLS', { usual: 8, storm: 60 })
const SEED = chosenSeed()
const KILLS_PER_THREAD = 10
/** A kill comes so soon after the event that it waits for, so that it also falls between two events. */
const MOST_AFTER_EVENT_MS = 30

const WORK: readonly ScriptStep[] = [
  { type: 'text', text: ['Let me see. ', { sleepMs: 20 }, 'One moment.'] },
  // A process of the tool in a session of its own, as `setsid` makes it.
  { type: 'orphan', seconds: 300, ownSession: true },
  { type: 'tool', name: 'Bash', input: { command: 'make' }, result: 'made' },
  { type: 'sleep', ms: 30 },
  { type: 'text', text: ['It is ', { sleepMs: 20 }, 'made.'] },
]

let world: FaultWorld
beforeAll(async () => {
  world = await new FaultWorld().open()
})
afterAll(() => world.close())

/** What was printed, and so must never go away: prompts by their tokens, answers by their message. */
type Promised = { readonly prompts: Set<string>; readonly messages: Map<string, Message> }

type Figures = Record<'lost' | 'doubled' | 'orphans' | 'stuck', number> & {
  readonly next: Map<string, number>
  readonly diedAt: Map<string, number>
  /** Kills that found an agent or its tool at work. */
  withProcesses: number
  slowestEndMs: number
}

test(`U-3 I1 I5 I6 I9 ${KILLS} kills of Reprise: nothing acknowledged is lost, nothing is left running, the next turn goes on`, async () => {
  const random = randomFrom(SEED)
  const startedMs = performance.now()
  const figures: Figures = {
    ...{ lost: 0, doubled: 0, orphans: 0, stuck: 0, slowestEndMs: 0, withProcesses: 0 },
    next: new Map(),
    diedAt: new Map(),
  }
  const usual = await usualTurn()
  let thread = { id: '', promised: newPromise() }
  for (let kill = 0; kill < KILLS; kill++) {
    const isFirst = kill % KILLS_PER_THREAD === 0
    if (isFirst) thread = { id: '', promised: newPromise() }
    const afterEvents = Math.floor(random() * (usual.events + 1))
    const afterMs = random() * (afterEvents === 0 ? usual.firstMs : MOST_AFTER_EVENT_MS)
    const moment = { afterEvents, afterMs }
    await killedTurn(thread.id, `killed-${kill};`, { moment, promised: thread.promised, figures })
    if (isFirst) thread = { ...thread, id: (await newThread()) ?? (await firstTurn()) }
    await nextTurn(thread.id, `next-${kill};`, { promised: thread.promised, figures })
  }
  const { next, diedAt, slowestEndMs, withProcesses, ...counts } = figures
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  process.stderr.write(
    `${KILLS} kills in ${seconds} s, seed ${SEED}, a turn prints ${usual.events} events, the first after ${Math.round(usual.firstMs)} ms: ${JSON.stringify(
      {
        ...counts,
        withProcesses,
        slowestEndMs: Math.round(slowestEndMs),
        diedAt: Object.fromEntries(diedAt),
        next: Object.fromEntries(next),
      },
    )}\n`,
  )
  expect(withProcesses).toBeGreaterThan(KILLS / 10)
  expect(counts).toEqual({ lost: 0, doubled: 0, orphans: 0, stuck: 0 })
})

function newPromise(): Promised {
  return { prompts: new Set(), messages: new Map() }
}

/** How many events a turn prints, and how long `reprise` takes to the first, once everything is warm. */
async function usualTurn(): Promise<{ events: number; firstMs: number }> {
  const threadId = await firstTurn()
  world.script([{ do: WORK }])
  const startedMs = performance.now()
  const child = world.start(['send', '-t', threadId, '--stream-json', 'warm-1;'])
  child.stdin?.end()
  let firstMs = 0
  child.stdout?.once('data', () => {
    firstMs = performance.now() - startedMs
  })
  const { code, out } = await ended(child)
  expect(code).toBe(0)
  return { events: out.split('\n').flatMap(parsed).length, firstMs }
}

async function firstTurn(): Promise<string> {
  world.script([])
  const { threadId } = await world.json(['send', 'first-0;'])
  known.add(threadId)
  return threadId
}

const known = new Set<string>()

/** The thread that a killed `send` had made; `null` when it did not get that far. */
async function newThread(): Promise<string | null> {
  const threads = await world.look(store => store.listThreads({ limit: 1_000 }))
  const made = threads.find(({ id }) => !known.has(id))
  for (const { id } of threads) known.add(id)
  return made?.id ?? null
}

/** By events, because the time from one to the next depends on what else the machine does. */
type Moment = { readonly afterEvents: number; readonly afterMs: number }

type Watched = { readonly promised: Promised; readonly figures: Figures }

async function killedTurn(
  threadId: string,
  prompt: string,
  { moment, promised, figures }: Watched & { readonly moment: Moment },
): Promise<void> {
  world.script([{ do: WORK }])
  const place = threadId === '' ? [] : ['-t', threadId]
  const child = world.start(['send', ...place, '--stream-json', prompt])
  child.stdin?.end()
  const end = ended(child)
  await Promise.race([eventsOf(child, moment.afterEvents), end])
  await sleep(moment.afterMs)
  child.kill('SIGKILL')
  if (world.processes().length > 0) figures.withProcesses += 1
  const { out, signal } = await end
  const events = out.split('\n').flatMap(parsed)
  const types = events.map(event => event.type)
  // The prompt was stored before anything of its turn is printed.
  if (types.length > 0) promised.prompts.add(prompt)
  count(figures.diedAt, signal === null ? 'after its end' : (types.at(-1) ?? 'before any event'))
  try {
    const tookMs = await until('its processes ended', () => world.processes().length === 0, 12_000)
    figures.slowestEndMs = Math.max(figures.slowestEndMs, tookMs)
  } catch {
    figures.orphans += world.processes().length
  }
}

/** Resolves when the program has printed so many events. */
function eventsOf(child: ChildProcess, count: number): Promise<void> {
  let seen = 0
  return new Promise(resolve => {
    if (count === 0) return resolve()
    child.stdout?.on('data', text => {
      seen += String(text).split('\n').length - 1
      if (seen >= count) resolve()
    })
  })
}

/** A line that was cut by the kill does not count. */
function parsed(line: string): { type: string }[] {
  try {
    return line === '' ? [] : [JSON.parse(line)]
  } catch {
    return []
  }
}

async function nextTurn(
  threadId: string,
  prompt: string,
  { promised, figures }: Watched,
): Promise<void> {
  world.script([{ do: [{ type: 'text', text: 'Done.' }] }])
  const before = (await world.journal()).length
  const { code, out, err } = await world.run(['send', '-t', threadId, '--json', prompt])
  expect(code, `${out}${err}`).toBe(0)
  const { run } = JSON.parse(out) as { run: Run }
  const { decision } = run
  const why = decision && 'reason' in decision ? ` (${decision.reason.code})` : ''
  count(figures.next, `${decision?.action}${why}`)
  const branch = await world.look(async store => {
    figures.stuck += (await store.openRuns()).length
    expect(await store.verify()).toEqual([])
    return store.branch(threadId)
  })
  compare(branch, promised, figures)
  for (const message of branch) promised.messages.set(message.id, message)
  promised.prompts.add(prompt)
  const [entry, ...others] = (await world.journal()).slice(before)
  expect(others).toEqual([])
  if (!entry) throw new Error('the next turn started no agent')
  const shown = branch.slice(
    0,
    branch.findIndex(({ text }) => text === prompt),
  )
  checkVisible(entry, { branch: shown, view: 'all', agent: 'claude-code', prompt })
}

function compare(branch: readonly Message[], promised: Promised, figures: Figures): void {
  const texts = branch.filter(({ role }) => role === 'user').flatMap(({ text }) => tokensIn(text))
  for (const prompt of promised.prompts) if (!texts.includes(prompt)) figures.lost += 1
  for (const { id, hash } of promised.messages.values())
    if (!branch.some(message => message.id === id && message.hash === hash)) figures.lost += 1
  figures.doubled += texts.length - new Set(texts).size
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}
