// Sessions as a user sees them, and our copies of their files, with files and copies in memory.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  eventually,
  type ProcessOptions,
  processes,
  START,
} from '../../../test/simulated/processes.ts'
import { claudeCodeAdapter } from '../../adapters/claude-code/index.ts'
import { claudeCode } from '../../agents/claude-code.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import type { MemoryFiles } from '../../testing/memory-files.ts'
import { NO_VAULT, type Vault, type VaultKey } from '../../vault/vault.ts'

/** Keeps copies in memory. */
function memoryVault(files: MemoryFiles) {
  const copies = new Map<string, string>()
  const nameOf = ({ agent, sessionId }: VaultKey) => `${agent} ${sessionId}`
  const keep = async (key: VaultKey, path: string) => {
    const text = files.text(path)
    if (text !== null) copies.set(nameOf(key), text)
    return text?.length ?? 0
  }
  const vault: Vault = {
    ...NO_VAULT,
    keep,
    extend: async (key, path) => {
      const [text, copy] = [files.text(path) ?? '', copies.get(nameOf(key)) ?? '']
      return text.startsWith(copy) ? keep(key, path) : copy.length
    },
    read: async key => {
      const text = copies.get(nameOf(key))
      return text === undefined ? null : new TextEncoder().encode(text)
    },
    keptAt: async key => (copies.has(nameOf(key)) ? START : null),
    restore: async (key, path) => {
      const text = copies.get(nameOf(key))
      if (text !== undefined) await files.write(path, text)
      return text !== undefined
    },
    remove: async key => void copies.delete(nameOf(key)),
  }
  return { vault, copies }
}

async function open(script: FakeScript = [], options: ProcessOptions = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'reprise-sessions-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const world = await processes(script)
  const { vault, copies } = memoryVault(world.files)
  const { reprise } = world.open({ dataDir, ...options, dependencies: { vault } })
  const thread = await reprise.threads.create({ workDir: '/project' })
  await thread.send('one').result
  const [session] = await reprise.sessions.list()
  if (!session) throw new Error('the turn has a session')
  const file = world.files.paths().find(path => path.endsWith(`${session.sessionId}.jsonl`)) ?? ''
  return { world, reprise, thread, session, file, copies, vault, dataDir }
}

const actionOf = async ({ result }: { result: Promise<{ run: { decision: unknown } }> }) =>
  ((await result).run.decision as { action: string }).action

test('L-3 a session shows its file, our copy, and what it would cost to wake it', async () => {
  const { reprise, session, file, copies, world } = await open()
  const shown = await reprise.sessions.get(session.id)
  expect(shown).toMatchObject({
    ...session,
    file: { state: 'present' },
    keptBytes: [...copies.values()][0]?.length,
  })
  await world.files.remove(file)
  expect((await reprise.sessions.get(session.id)).file.state).not.toBe('present')
  copies.clear()
  expect((await reprise.sessions.get(session.id)).keptBytes).toBe(0)
})

test('L-3 to wake a session costs what its model takes to write the whole context to its cache', async () => {
  const { reprise, session } = await open()
  const { model, contextTokens } = session
  const price = claudeCodeAdapter.money.price(model ?? '')
  const shown = await reprise.sessions.get(session.id)
  expect(contextTokens).toBeGreaterThan(0)
  const usdPerToken = (price?.cacheWriteUsd ?? 0) / 1_000_000
  expect(shown.wakeCostUsd).toBeCloseTo((contextTokens ?? 0) * usdPerToken, 9)
})

test('L-3 the cost to wake a session is not known before its first turn has ended', async () => {
  const { world, reprise } = await open([{ when: 'hang', do: [{ type: 'hang' }] }])
  const thread = await reprise.threads.create({ workDir: '/project' })
  const turn = thread.send('hang')
  await eventually(() => world.runner.running.length).toBe(1)
  const ofThread = () => reprise.sessions.list({ threadId: thread.id })
  await eventually(async () => (await ofThread()).length).toBe(1)
  const [created] = await ofThread()
  expect(await reprise.sessions.get(created?.id ?? '')).toMatchObject({
    state: 'created',
    wakeCostUsd: null,
  })
  await turn.cancel()
})

test('L-2 L-3 of an agent whose session files nobody can read, the archive has the messages alone', async () => {
  const { sessionFiles: _, ...adapter } = claudeCodeAdapter
  const agent = claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })
  const { reprise, session } = await open([], { agents: [{ ...agent, adapter }] })
  expect((await reprise.sessions.get(session.id)).file).toEqual({ state: 'unread' })
  const { path } = await reprise.sessions.archive(session.id)
  expect(readdirSync(path)).toEqual(['session.json'])
})

test('L-2 the file of an agent that is no longer configured is put aside as well', async () => {
  const { world, session, vault, dataDir } = await open()
  const { reprise } = world.open({ agents: [], dataDir, dependencies: { vault } })
  const { path } = await reprise.sessions.archive(session.id)
  expect(readdirSync(path)).toEqual(['session-file', 'session.json'])
})

test('V-2 a diagnosis changes nothing unless a repair is asked for', async () => {
  const { world, reprise, session, file } = await open()
  const damaged = `${world.files.text(file)}null\n`
  await world.files.write(file, damaged)
  const before = world.files.paths()
  const { found, repaired } = await reprise.sessions.diagnose(session.id)
  expect(found).toMatchObject([{ kind: 'null-line' }])
  expect(repaired).toBeNull()
  expect(world.files.paths()).toEqual(before)
  expect(world.files.text(file)).toBe(damaged)
})

test('L-3 of a session whose agent is gone from this machine, the file is not known', async () => {
  const { world, reprise, session } = await open()
  await world.files.remove('/bin/agent')
  expect((await reprise.sessions.get(session.id)).file).toEqual({ state: 'unknown' })
  const { reprise: other } = world.open({ agents: [] })
  const shown = await other.sessions.get(session.id)
  expect(shown).toMatchObject({ file: { state: 'unknown' }, wakeCostUsd: null })
})

test('L-3 sessions are listed by thread, in pages; one that is not there is named', async () => {
  const { reprise, thread, session } = await open()
  const other = await reprise.threads.create({ workDir: '/project' })
  await other.send('two').result
  expect(await reprise.sessions.list({ threadId: thread.id })).toMatchObject([{ id: session.id }])
  expect(await reprise.sessions.list({ limit: 1 })).toHaveLength(1)
  expect(await reprise.sessions.list()).toHaveLength(2)
  for (const verb of [reprise.sessions.get, reprise.sessions.archive])
    await expect(verb('ses_none')).rejects.toMatchObject({
      code: 'not-found',
      message: 'there is no session ses_none',
      hint: 'Run `reprise sessions` to see their ids.',
    })
})

test('L-2 a session cannot be put aside while a run is going on it, and the hint names the run', async () => {
  const { world, reprise, thread, session } = await open([{ when: 'hang', do: [{ type: 'hang' }] }])
  const turn = thread.send('hang')
  const { runId } = await turn.submitted
  await eventually(() => world.runner.running.length).toBe(1)
  await expect(reprise.sessions.archive(session.id)).rejects.toMatchObject({
    code: 'busy',
    message: `${runId} is going on session ${session.id}`,
    hint: `Wait for it, or end it: reprise runs cancel ${runId}.`,
  })
  await turn.cancel()
  expect(await reprise.sessions.archive(session.id)).toMatchObject({ state: 'archived' })
  expect(await actionOf(thread.send('three'))).toBe('resume')
})

test('L-2 sessions that nobody uses are paused, expire after their time and are put aside', async () => {
  const HOUR = 3_600_000
  const settings = { pauseAfterMs: HOUR, expireAfterMs: 5 * HOUR, sweepEveryMs: HOUR }
  const { world, reprise, session } = await open([], { keepQueue: true, sessions: settings })
  const state = async () => (await reprise.sessions.get(session.id)).state
  await eventually(async () => {
    if ((await state()) === 'active') world.clock.pass(HOUR)
    return state()
  }).toBe('paused')
  await eventually(async () => {
    if ((await state()) === 'paused') world.clock.pass(HOUR)
    return state()
  }).toBe('archived')
  expect(world.clock.now()).toBeGreaterThanOrEqual(START + 5 * HOUR)
})

test('V-1 a file that is gone is put back from our copy, and the session goes on', async () => {
  const { world, thread, session, file, copies } = await open()
  const kept = [...copies.values()][0]
  await world.files.remove(file)
  const { run } = await thread.send('two').result
  expect(run).toMatchObject({ sessionId: session.sessionId, decision: { action: 'resume' } })
  expect(world.files.text(file)?.startsWith(kept ?? '')).toBe(true)
})

test('V-1 V-2 a copy that does not hold what the session has seen is not put back', async () => {
  const { world, thread, file, copies } = await open()
  const [name = '', kept = ''] = [...copies][0] ?? []
  await thread.send('two').result
  copies.set(name, kept)
  await world.files.remove(file)
  expect(await actionOf(thread.send('three'))).toBe('replay')
})

test('V-2 a damaged file is put back from our copy, where it was', async () => {
  const { world, thread, file } = await open()
  const text = world.files.text(file) ?? ''
  await world.files.write(file, text.replaceAll('"parentUuid":null', '"parentUuid":"gone"'))
  const { run } = await thread.send('two').result
  expect(run.decision?.action).toBe('resume')
  expect(world.files.text(file)?.startsWith(text)).toBe(true)
})

test('V-1 without a copy a file that is gone means the transcript', async () => {
  const { world, thread, file, copies } = await open()
  await world.files.remove(file)
  copies.clear()
  expect(await actionOf(thread.send('two'))).toBe('replay')
})

test('V-1 a disk that takes no copy does not fail the run; the next run makes the copy', async () => {
  const { thread, vault, copies } = await open()
  copies.clear()
  const { keep } = vault
  Object.assign(vault, { keep: () => Promise.reject(new Error('no space')) })
  expect((await thread.send('two').result).run.status).toBe('completed')
  expect(copies.size).toBe(0)
  Object.assign(vault, { keep })
  await thread.send('three').result
  expect(copies.size).toBe(1)
})

test('V-6 no copy is left when the thread is removed while the copy is made', async () => {
  const { thread, vault, copies } = await open()
  const { keep } = vault
  Object.assign(vault, {
    keep: async (...asked: Parameters<Vault['keep']>) => {
      await thread.remove()
      return keep(...asked)
    },
  })
  await thread.send('two').result.catch(() => {})
  expect(copies.size).toBe(0)
})

test('C-5 E-3 a fork is a session of its own that has seen what is before the cut', async () => {
  const { reprise, thread, session } = await open()
  await thread.send('two').result
  const { messages } = await thread.show()
  expect(await actionOf(thread.retry(messages[2]?.id ?? '', { text: 'instead' }))).toBe('fork')
  const fork = (await reprise.sessions.list()).find(({ id }) => id !== session.id)
  expect(fork).toMatchObject({ forkedFrom: session.id, messageCount: 4 })
  expect(fork?.sessionId).not.toBe(session.sessionId)
  expect(await actionOf(thread.send('three'))).toBe('resume')
})
