import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Reprise, Thread } from '../../../src/api.ts'
import type { Run } from '../../../src/core/run/run.ts'
import { countOf } from '../../counts.ts'
import { type DaemonProcess, eventually, ServeWorld } from './serve-world.ts'

const KILLS = countOf('REPRISE_DAEMON_KILLS', { usual: 6, storm: 40 })
const CONVERSATIONS = 8
const LONGEST_LIFE_MS = 2_000
const OPEN = ['queued', 'running', 'waiting']

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

type Acknowledged = { readonly runId: string; readonly prompt: string }

/** Sends until it is stopped; every second turn is sent while the one before it still runs. */
async function converse(thread: Thread, name: string, isOver: () => boolean) {
  const acknowledged: Acknowledged[] = []
  for (let number = 1; !isOver(); number++) {
    const prompt = `${name} turn ${number}.`
    const turn = thread.send(prompt)
    acknowledged.push({ prompt, runId: (await turn.submitted).runId })
    if (number % 2 === 0) await turn.result
  }
  return acknowledged
}

test(`I1 I5 I9 kill -9 of the daemon at ${KILLS} random moments under ${CONVERSATIONS} conversations`, {
  timeout: 60_000 + KILLS * 15_000,
}, async () => {
  const work = { type: 'text', text: 'working ' } as const
  const orphan = { type: 'orphan', seconds: 60, ownSession: true } as const
  world.script([{ when: 'talk 0', do: [work, orphan] }, { do: [work] }])
  let daemon = await world.serve()
  const reprise = world.connect(daemon)
  const threads = await createThreads(reprise)
  let isOver = false
  const talks = threads.map((thread, index) => converse(thread, `talk ${index}`, () => isOver))
  for (let kill = 1; kill <= KILLS; kill++) daemon = await killAndRestart(daemon)
  isOver = true
  const acknowledged = (await Promise.all(talks)).flat()
  await eventually(async () => (await openRuns(reprise, threads)).length === 0)
  const ended = await allRuns(reprise, threads)

  expect(acknowledged.length).toBeGreaterThanOrEqual(CONVERSATIONS)
  const known = new Set(ended.map(run => run.id))
  expect(acknowledged.filter(({ runId }) => !known.has(runId))).toEqual([])
  // A turn that was acknowledged ran, also when it was in the queue of a daemon that died.
  expect(ended.filter(run => run.startedAt === null)).toEqual([])
  // One message and one first attempt for each turn, however often its request was sent.
  const firstTries = ended.filter(run => run.attempt === 1)
  expect(firstTries).toHaveLength(acknowledged.length)
  const prompts = new Set(ended.map(run => run.promptMessageId))
  expect(prompts.size).toBe(acknowledged.length)
  const unexpected = ended.filter(run => !['completed', 'interrupted'].includes(run.status))
  expect(unexpected.filter(run => run.continuedBy === null)).toEqual([])
  expect(twiceStarted(world.journal)).toEqual([])

  daemon.signal('SIGTERM')
  expect((await daemon.end).code).toBe(0)
  await eventually(() => world.agentProcesses().length === 0)
  expect(await world.json(['verify'])).toEqual({ ok: true, violations: [] })
  const interrupted = ended.filter(run => run.status === 'interrupted').length
  console.log(
    `${KILLS} kills: ${acknowledged.length} turns acknowledged, 0 lost, 0 doubled, ${interrupted} interrupted`,
  )
  await reprise.close()
})

async function createThreads(reprise: Reprise): Promise<readonly Thread[]> {
  const wanted = Array.from({ length: CONVERSATIONS }, () => ({ workDir: world.workDir }))
  return Promise.all(wanted.map(thread => reprise.threads.create(thread)))
}

async function killAndRestart(daemon: DaemonProcess): Promise<DaemonProcess> {
  await sleep(Math.random() * LONGEST_LIFE_MS)
  daemon.signal('SIGKILL')
  await daemon.end
  return world.serve(['--port', String(daemon.port)])
}

async function allRuns(reprise: Reprise, threads: readonly Thread[]): Promise<readonly Run[]> {
  const lists = threads.map(({ id }) => reprise.runs.list({ threadId: id, limit: 10_000 }))
  return (await Promise.all(lists)).flat()
}

async function openRuns(reprise: Reprise, threads: readonly Thread[]): Promise<readonly Run[]> {
  return (await allRuns(reprise, threads)).filter(run => OPEN.includes(run.status))
}

/** Turns that an agent got to work on more than once; a refused resume is no work. */
function twiceStarted(journal: string): readonly string[] {
  const prompts = readFileSync(journal, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { kind: string; prompt: string; refused: string | null })
    .filter(({ kind, refused }) => kind === 'start' && refused === null)
    .map(({ prompt }) => /talk \d+ turn \d+\.(?=\s*$)/.exec(prompt)?.[0] ?? prompt)
  return prompts.filter((prompt, index) => prompts.indexOf(prompt) !== index)
}
