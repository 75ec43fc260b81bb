// L-1, L-2: every transition of a session's life (created, active, paused, expired, archived, completed), with the clock in our hands.
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bundledFakeAgent } from '../../../test/fake-agent.ts'
import type { LocalReprise, Session } from '../../index.ts'
import { claudeCode, createReprise, sqlite } from '../../index.ts'
import { systemClock } from '../../runner/real-world.ts'

const MINUTE = 60_000
const SETTINGS = { pauseAfterMs: 30 * MINUTE, expireAfterMs: 24 * 60 * MINUTE, sweepEveryMs: 20 }

let root: string
let aheadMs: number
let reprise: LocalReprise

/** Time that can be put forward; pauses are as long as they really are. */
const clock = { now: () => Date.now() + aheadMs, sleep: systemClock.sleep }

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-life-')))
  aheadMs = 0
  mkdirSync(join(root, 'project'))
  mkdirSync(join(root, 'home'))
  writeFileSync(join(root, 'script'), '[]')
  const executable = await bundledFakeAgent(root)
  const env = {
    CLAUDE_CONFIG_DIR: join(root, 'home/.claude'),
    FAKE_AGENT_SCRIPT: join(root, 'script'),
  }
  reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    agents: [claudeCode({ executable, env })],
    dataDir: join(root, 'data'),
    keepQueue: true,
    workers: 1,
    sessions: SETTINGS,
    dependencies: { clock },
  })
})
afterEach(async () => {
  await reprise.close()
  rmSync(root, { recursive: true, force: true })
})

const newThread = () => reprise.threads.create({ workDir: join(root, 'project') })
const sessionOf = async (threadId: string): Promise<Session> => {
  const [session] = await reprise.sessions.list({ threadId })
  if (session) return session
  throw new Error(`thread ${threadId} has no session`)
}

async function becomes(threadId: string, state: Session['state']): Promise<Session> {
  for (let tries = 0; tries < 500; tries += 1) {
    const session = await sessionOf(threadId)
    if (session.state === state) return session
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  throw new Error(`the session is ${(await sessionOf(threadId)).state}, not ${state}`)
}

test('V-1 a thread that is removed in the moment its run ends leaves no copy of its session behind', async () => {
  // To pack it takes a while.
  const long = randomBytes(1_500_000).toString('hex')
  for (let time = 0; time < 3; time += 1) {
    const thread = await reprise.threads.create({ workDir: join(root, 'project') })
    const turn = thread.send(long)
    // Who removes it meanwhile takes the run away that the turn would tell of.
    const over = turn.result.catch(() => {})
    const { runId } = await turn.submitted
    for await (const event of turn) if (event.type === 'text') break
    while ((await reprise.runs.get(runId)).status !== 'completed') await setImmediate()
    await thread.remove()
    await over
  }
  const copies = join(root, 'data/vault/claude-code')
  expect(existsSync(copies) ? readdirSync(copies) : []).toEqual([])
})

describe('L-1 a session', () => {
  test('is created when its first turn begins, and active with the end of it', async () => {
    const [reached, gate] = [join(root, 'reached'), join(root, 'gate')]
    const script = [{ do: [{ type: 'waitForFile', path: gate, reached }] }]
    writeFileSync(join(root, 'script'), JSON.stringify(script))
    const thread = await newThread()
    const turn = thread.send('one')
    while (!existsSync(reached)) await new Promise(resolve => setTimeout(resolve, 10))
    expect(await becomes(thread.id, 'created')).toMatchObject({ pointer: 'announced' })
    writeFileSync(gate, '')
    await turn.result
    expect(await sessionOf(thread.id)).toMatchObject({ state: 'active', pointer: 'confirmed' })
  })

  test('is active after its first message, paused when nobody uses it, active again with the next', async () => {
    const thread = await newThread()
    await thread.send('one').result
    expect((await sessionOf(thread.id)).state).toBe('active')
    aheadMs = 31 * MINUTE
    const paused = await becomes(thread.id, 'paused')
    expect(paused.pointer).toBe('confirmed')
    const { run } = await thread.send('two').result
    expect(run).toMatchObject({ sessionResumed: true, sessionId: paused.sessionId })
    expect((await sessionOf(thread.id)).state).toBe('active')
  })

  test('is never over because a turn ended; the one of a job is completed with its job, and can go on', async () => {
    const thread = await newThread()
    const { run } = await thread.send('one').result
    expect(run.status).toBe('completed')
    const job = await reprise.jobs.submit({ prompt: 'work', workDir: join(root, 'project') })
    await reprise.jobs.wait(job.id)
    await becomes(job.threadId, 'completed')
    expect((await sessionOf(thread.id)).state).toBe('active')
    await reprise.jobs.retry(job.id)
    const again = await reprise.jobs.wait(job.id)
    expect(again.attempts[1]?.sessionResumed).toBe(true)
  })

  test('L-2 expires after its time, is put aside with its messages and its file, and can still go on', async () => {
    const thread = await newThread()
    await thread.send('the number is 7').result
    aheadMs = 25 * 60 * MINUTE
    const { sessionId } = await becomes(thread.id, 'archived')
    const place = join(root, 'data/agent-sessions', sessionId)
    const archived = JSON.parse(readFileSync(join(place, 'session.json'), 'utf8'))
    expect(archived).toMatchObject({
      id: sessionId,
      metadata: {
        cwd: join(root, 'project'),
        model: expect.any(String),
        messageCount: 2,
        turnCount: 1,
        lastStopReason: 'end_turn',
      },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'the number is 7' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'echo: the number is 7' }] },
      ],
    })
    expect(readFileSync(join(place, 'session.jsonl'), 'utf8')).toContain('the number is 7')
    expect(statSync(join(place, 'session.json')).mode & 0o777).toBe(0o600)
    const { run } = await thread.send('which number?').result
    expect(run).toMatchObject({ sessionResumed: true, sessionId })
    expect((await sessionOf(thread.id)).state).toBe('active')
  })

  test('L-2 V-1 is protected from the agent’s own deletion after thirty days', async () => {
    const thread = await newThread()
    await thread.send('one').result
    const { sessionId } = await sessionOf(thread.id)
    rmSync(join(root, 'home/.claude'), { recursive: true })
    aheadMs = 40 * 24 * 60 * MINUTE
    await becomes(thread.id, 'archived')
    const { run } = await thread.send('two').result
    expect(run).toMatchObject({ sessionResumed: true, sessionId })
  })

  test('L-3 shows its file, our copy of it and what it would cost to wake it', async () => {
    const thread = await newThread()
    await thread.send('one').result
    const { id } = await sessionOf(thread.id)
    const shown = await reprise.sessions.get(id)
    expect(shown.file).toEqual({ state: 'present' })
    expect(shown.keptBytes).toBeGreaterThan(100)
    expect(shown.wakeCostUsd).toBeGreaterThan(0)
    const archived = await reprise.sessions.archive(id)
    expect(archived.state).toBe('archived')
    expect(existsSync(join(archived.path, 'session.json'))).toBe(true)
    await expect(reprise.sessions.archive('ses_none')).rejects.toMatchObject({ code: 'not-found' })
  })

  test('comes back from the archive once; its files stay', async () => {
    const thread = await newThread()
    await thread.send('one').result
    const { id } = await sessionOf(thread.id)
    const { path } = await reprise.sessions.archive(id)
    expect((await reprise.sessions.unarchive(id)).state).toBe('paused')
    expect(existsSync(join(path, 'session.json'))).toBe(true)
    const again = reprise.sessions.unarchive(id)
    await expect(again).rejects.toMatchObject({
      code: 'conflict',
      message: `session ${id} is paused, not archived`,
    })
  })

  test('V-6 is removed with its thread', async () => {
    const thread = await newThread()
    await thread.send('something private').result
    const { path } = await reprise.sessions.archive((await sessionOf(thread.id)).id)
    await thread.remove()
    expect(existsSync(path)).toBe(false)
  })
})
