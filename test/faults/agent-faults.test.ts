// What agents do wrong, through the library and with a real program: every turn ends in bounded time, as what it was.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeCode } from '../../src/agents/claude-code.ts'
import type { Reprise, Thread, TurnResult } from '../../src/api.ts'
import { createReprise } from '../../src/reprise.ts'
import type { ProcessLimits } from '../../src/runner/runner.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { readJournal } from '../../src/testing/fake-agent/executable.ts'
import type { ScriptStep } from '../../src/testing/fake-agent/script.ts'
import { builtFakeAgent } from '../fake-agent.ts'
import { until } from './fault-world.ts'

const SHORT: Partial<ProcessLimits> = {
  drainMs: 300,
  interruptGraceMs: 300,
  terminateGraceMs: 300,
}

const compileCache = mkdtempSync(join(tmpdir(), 'reprise-compile-cache-'))
afterAll(() => rmSync(compileCache, { recursive: true, force: true }))

let root = ''
let reprise: Reprise
let thread: Thread
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-agent-faults-')))
  mkdirSync(join(root, 'work'))
  await builtFakeAgent(root)
  script()
})
afterEach(async () => {
  await reprise.close()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

function script(...steps: readonly ScriptStep[]): void {
  writeFileSync(join(root, 'script.json'), JSON.stringify([{ do: steps }]))
}

async function open(limits: Partial<ProcessLimits> = {}): Promise<void> {
  const env = {
    CLAUDE_CONFIG_DIR: join(root, 'config'),
    FAKE_AGENT_SCRIPT: join(root, 'script.json'),
    FAKE_AGENT_JOURNAL: join(root, 'journal'),
    NODE_COMPILE_CACHE: compileCache,
  }
  reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    agents: [claudeCode({ executable: join(root, 'fake-claude'), env })],
    limits: { ...SHORT, ...limits },
    dataDir: join(root, 'data'),
  })
  thread = await reprise.threads.create({ workDir: join(root, 'work') })
}

async function send(prompt: string, ...steps: readonly ScriptStep[]): Promise<TurnResult> {
  script(...steps)
  return thread.send(prompt).result
}

/** The thread is none the worse for it: the next turn is answered, and the store is healthy. */
async function expectGoesOn(action: string): Promise<void> {
  const { run, text } = await send('and now?')
  expect(text).toBe('echo: and now?')
  expect(run).toMatchObject({ status: 'completed', decision: { action } })
  expect(await reprise.verify()).toEqual([])
}

const isGone = async () => {
  const [last] = (await readJournal(join(root, 'journal'))).slice(-1)
  const pids = [last?.pid ?? 0, ...(last?.orphans ?? [])]
  return !pids.some(isRunning)
}

/** A zombie has ended; who collects it is not our business. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    // No such process.
    return false
  }
}

describe('U-3 an agent that hangs', () => {
  test('before its first word is ended by the watchdog; the turn failed, the next one starts anew', async () => {
    await open({ firstEventMs: 700 })
    const { run } = await send('one', { type: 'hang', at: 'before-init' })
    expect(run).toMatchObject({ status: 'interrupted', failure: { class: 'no-first-event' } })
    expect(run.exit?.endedBy).toBe('no-first-event')
    await until('it is gone', isGone)
    await reopen()
    await expectGoesOn('replay')
  })

  test('in the middle of its work is ended as silent, and the session is kept', async () => {
    await open({ silenceMs: 2_000, firstEventMs: 20_000 })
    const steps: ScriptStep[] = [{ type: 'text', text: 'Working.' }, { type: 'hang' }]
    const { run, text } = await send('one', ...steps)
    expect(run).toMatchObject({ status: 'interrupted', failure: { class: 'silent' } })
    expect(text).toBe('Working.')
    await until('it is gone', isGone)
    await reopen()
    await expectGoesOn('resume')
  })

  test('H-3 after its result has completed the turn all the same', async () => {
    await open({ afterResultMs: 300 })
    const { run, text } = await send('one', { type: 'hang', at: 'after-result' })
    expect(run).toMatchObject({ status: 'completed', exit: { endedBy: 'hung-after-result' } })
    expect(text).toBe('echo: one')
    await until('it is gone', isGone)
    await expectGoesOn('resume')
  })
})

/** Other limits for the same thread: a slow start on a busy machine must not look like a hang. */
async function reopen(): Promise<void> {
  const { id } = thread
  await reprise.close()
  await open()
  thread = await reprise.threads.get(id)
}

describe('H-3 an agent that is hard to read', () => {
  test.each<[string, ScriptStep]>([
    ['floods', { type: 'flood', events: 20_000 }],
    ['prints bytes that are no UTF-8', { type: 'brokenUtf8' }],
    ['prints events nobody knows', { type: 'unknownEvents', events: 50 }],
    ['prints a banner that is no event', { type: 'bannerLine', text: 'Welcome! {not json' }],
    ['prints a line of 50 MB', { type: 'bigLine', bytes: 50 * 1024 * 1024 }],
    ['speaks again after its result', { type: 'twoResults' }],
    ['names its session late', { type: 'lateId' }],
  ])('that %s has answered, and its session continues', async (_, step) => {
    await open()
    const { run, text } = await send('one', step, { type: 'text', text: 'Here.' })
    expect(run).toMatchObject({ status: 'completed', failure: null })
    expect(text).toBe('Here.')
    await expectGoesOn('resume')
  })

  test('that prints without end is stopped at the limit of its output', async () => {
    await open({ maxOutputBytes: 1024 * 1024 })
    const { run } = await send('one', { type: 'flood', events: 1_000_000 })
    expect(run).toMatchObject({ status: 'interrupted', failure: { class: 'output-limit' } })
    await until('it is gone', isGone)
    await expectGoesOn('resume')
  })
})

describe('U-3 what an agent leaves behind', () => {
  test.each([false, true])(
    'a process that holds its output (in a session of its own: %s) is ended with the run',
    async ownSession => {
      await open()
      const { run } = await send('one', { type: 'orphan', seconds: 600, ownSession })
      expect(run.status).toBe('completed')
      await until('it is gone', isGone)
      await expectGoesOn('resume')
    },
  )

  test('F-3 C-2 killed in the middle of a tool: reported as interrupted, not repeated, the session is kept', async () => {
    await open()
    const done = join(root, 'done')
    const { run } = await send(
      'one',
      { type: 'text', text: 'I will.' },
      { type: 'sideEffect', appendFile: done, line: 'x' },
      { type: 'tool', name: 'Bash', input: { command: 'make' }, result: null },
      { type: 'killSelf', signal: 'SIGKILL' },
    )
    expect(run).toMatchObject({ status: 'interrupted', continuedBy: null })
    expect(run.failure).toMatchObject({ class: 'agent-crashed', toolsRan: 1 })
    expect(await readJournal(join(root, 'journal'))).toHaveLength(1)
    await expectGoesOn('resume')
    const [answer] = (await thread.show()).messages.slice(1)
    expect(answer).toMatchObject({ interrupted: true, tools: [{ name: 'Bash', result: null }] })
  })

  test('C-2 F-2 nothing saved: the session is never resumed, and the next one gets the conversation', async () => {
    await open()
    const { run } = await send('one', { type: 'noPersistence' })
    expect(run).toMatchObject({ status: 'completed', sessionConfirmedAt: null })
    await expectGoesOn('replay')
    const [last] = (await readJournal(join(root, 'journal'))).slice(-1)
    expect(last).toMatchObject({
      history: [
        { role: 'user', text: 'one' },
        { role: 'assistant', text: 'echo: one' },
      ],
      prompt: 'and now?',
    })
  })

  test('U-3 that ignores signals is ended by a cancel in bounded time', async () => {
    await open()
    const reached = join(root, 'reached')
    script({ type: 'ignoreSignals' }, { type: 'waitForFile', path: join(root, 'go'), reached })
    const turn = thread.send('one')
    await until('it stands still', () => existsSync(reached))
    await turn.cancel()
    const { run } = await turn.result
    expect(run).toMatchObject({ status: 'cancelled', exit: { signal: 'SIGKILL' } })
    await until('it is gone', isGone)
    await expectGoesOn('resume')
  })
})
