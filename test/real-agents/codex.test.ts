// The real codex under Reprise, against the fake model API: what it remembers and refuses, what a run used, what is left behind.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LocalReprise, Thread, TurnResult } from '../../src/api.ts'
import { codex as codexAgent, createReprise, sqlite } from '../../src/index.ts'
import { findTree, signalProcesses } from '../../src/runner/process-tree.ts'
import {
  errorReply,
  type ModelApi,
  requestTexts,
  silentReply,
  startModelApi,
  textReply,
  toolReply,
} from '../../src/testing/index.ts'
import { codex, commandOf, environmentOf } from '../agents/agent-programs.ts'

let root: string
let api: ModelApi
let reprise: LocalReprise

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'codex-')))
  mkdirSync(join(root, 'project'))
  api = await startModelApi()
  reprise = open()
})

afterEach(async () => {
  await reprise.close()
  await api.close()
  rmSync(root, { recursive: true, force: true })
})

function open(base = root): LocalReprise {
  const place = { apiUrl: api.url, home: join(base, 'home'), temporary: join(base, 'tmp') }
  const { PATH, ...env } = environmentOf(codex, place)
  const executable = commandOf(codex).at(-1) ?? ''
  return createReprise({
    store: sqlite(join(base, 'reprise.db')),
    dataDir: join(base, 'data'),
    agents: [codexAgent({ executable, env, permissionMode: 'workspace-write' })],
    environment: { PATH },
  })
}

const newThread = (workDir = join(root, 'project')) => reprise.threads.create({ workDir })
const say = (thread: Thread, prompt: string) => thread.send(prompt).result
const wayOf = ({ run }: TurnResult) => run.decision?.action

/** What the last request said to the model. */
function asked(): readonly string[] {
  const last = api.turns.at(-1)
  return last ? requestTexts(last) : []
}

/** The rollout files, wherever they are. */
function rollouts(): readonly string[] {
  const sessions = join(root, 'home/.codex/sessions')
  if (!existsSync(sessions)) return []
  const names = readdirSync(sessions, { recursive: true, encoding: 'utf8' })
  return names.filter(name => name.endsWith('.jsonl')).map(name => join(sessions, name))
}

describe('codex', () => {
  test('T-1 C-2 remembers: the second turn resumes the session, and the model hears both turns once', async () => {
    const thread = await newThread()
    const first = await say(thread, 'Remember BANANA')
    expect(first.run).toMatchObject({ status: 'completed', costUsd: null, costSource: 'none' })
    expect(first.text).toBe('MOCK-OK: Remember BANANA')
    const second = await say(thread, 'Which word?')
    expect(wayOf(second)).toBe('resume')
    expect(second.run.sessionId).toBe(first.run.sessionId)
    expect(asked().filter(text => text.includes('Remember BANANA'))).toEqual([
      'Remember BANANA',
      'MOCK-OK: Remember BANANA',
    ])
    expect(asked().at(-1)).toContain('Which word?')
  })

  test('M-1 books the tokens of each run once, although codex counts over the whole thread', async () => {
    const thread = await newThread()
    await say(thread, 'one')
    await say(thread, 'two')
    const third = await say(thread, 'three')
    const billed = api.turns.map(({ usage }) => usage)
    expect(billed).toHaveLength(3)
    expect(third.run.usage).toEqual({
      inputTokens: billed[2]?.inputTokens,
      cacheReadTokens: billed[2]?.cacheReadTokens,
      cacheWriteTokens: 0,
      outputTokens: billed[2]?.outputTokens,
    })
  })

  test('T-6 F-2 goes on with the transcript in a new session when it does not know the old one', async () => {
    const thread = await newThread()
    const first = await say(thread, 'Remember BANANA')
    // Reprise finds the file, but codex looks for it where it was.
    const [file = ''] = rollouts()
    mkdirSync(join(root, 'home/.codex/sessions/elsewhere'))
    renameSync(file, join(root, 'home/.codex/sessions/elsewhere', basename(file)))
    const second = await say(thread, 'Which word?')
    const [, refused] = (await thread.show()).runs
    expect(refused?.failure).toMatchObject({ class: 'resume-refused', toolsRan: 0 })
    expect(second.run.status).toBe('completed')
    expect(wayOf(second)).toBe('replay')
    expect(second.run.sessionId).not.toBe(first.run.sessionId)
    expect(asked().at(-1)).toContain('Remember BANANA')
  })

  test('V-1 gets its lost file back from our copy, and resumes it', async () => {
    const thread = await newThread()
    const first = await say(thread, 'Remember BANANA')
    rmSync(join(root, 'home/.codex/sessions'), { recursive: true })
    const second = await say(thread, 'Which word?')
    expect(wayOf(second)).toBe('resume')
    expect(second.run.sessionId).toBe(first.run.sessionId)
    expect(asked()).toContain('Remember BANANA')
  })

  test('V-3 S24 a thread of somebody else resumes its rollout once it is approved; the model hears the conversation and no rules of theirs', async () => {
    const thread = await newThread()
    api.script([toolReply('exec_command', { cmd: 'echo PEACH' }), textReply('It is PEACH.')])
    const first = await say(thread, 'Look for the fruit')
    const file = await Array.fromAsync((await reprise.threads.export(thread.id)).content)
    const base = join(root, 'other')
    const workDir = join(base, 'project')
    mkdirSync(workDir, { recursive: true })
    const other = open(base)
    try {
      const taken = await other.threads.import(Readable.from(file), { workDir })
      expect(taken).toMatchObject({ sessions: 1, replayed: [], imported: { approvedAt: null } })
      await other.threads.approve(taken.threadId)
      const arrived = await other.threads.get(taken.threadId)
      const second = await say(arrived, 'Which fruit?')
      expect([second.run.failure, wayOf(second)]).toEqual([null, 'resume'])
      expect(second.run.sessionId).not.toBe(first.run.sessionId)
      const heard = JSON.stringify(api.turns.at(-1)?.body)
      expect(heard.split('Look for the fruit')).toHaveLength(2)
      expect(heard).toMatch(/Look for the fruit.*echo PEACH.*It is PEACH\..*Which fruit\?/s)
      expect(heard).not.toContain(join(root, 'project'))
      expect(wayOf(await say(arrived, 'And now?'))).toBe('resume')
    } finally {
      await other.close()
    }
  })

  test('T-4 after an edit, codex gets the transcript in a new session, because it cannot cut one', async () => {
    const thread = await newThread()
    api.respond(() => textReply('Noted.'))
    await say(thread, 'Remember BANANA')
    await say(thread, 'Remember CHERRY')
    const { messages } = await thread.show()
    await thread.edit(messages[2]?.id ?? '', 'Remember PEACH')
    const { run } = await say(thread, 'Which words?')
    expect(run.decision?.action).toBe('replay')
    expect(asked().join('\n')).toMatch(/BANANA.*PEACH/s)
    expect(asked().join('\n')).not.toContain('CHERRY')
  })

  test('is stopped in the middle of a turn: no process is left, and the next turn tells what was said', async () => {
    const thread = await newThread()
    await say(thread, 'Remember BANANA')
    api.script([silentReply()])
    const turn = thread.send('Think long')
    await api.waitFor(request => requestTexts(request).some(text => text.includes('Think long')))
    await turn.cancel()
    const { run } = await turn.result
    expect(run.status).toBe('cancelled')
    expect(findTree({ marker: run.id, root: { pid: 2 ** 30, startTime: '0' } })).toEqual([])
    const next = await say(thread, 'Go on')
    expect(next.run.status).toBe('completed')
    expect(asked()).toContain('Remember BANANA')
  })

  test('F-3 is killed in the middle of a turn: its session goes on, and the model hears the prompt once', async () => {
    const thread = await newThread()
    await say(thread, 'Remember BANANA')
    api.script([silentReply()])
    const turn = thread.send('Think long')
    await api.waitFor(request => requestTexts(request).some(text => text.includes('Think long')))
    const going = (await thread.show()).runs.at(-1)
    const processes = findTree({ marker: going?.id ?? '', root: { pid: 2 ** 30, startTime: '0' } })
    // Codex may be asking git about the project at the same time.
    expect(processes).not.toEqual([])
    signalProcesses(processes, 'SIGKILL')
    const { run } = await turn.result
    expect(run).toMatchObject({ status: 'interrupted', failure: { class: 'agent-crashed' } })
    const next = await say(thread, 'Go on')
    expect(wayOf(next)).toBe('resume')
    const told = asked().join('\n')
    expect(told.split('Think long')).toHaveLength(2)
    expect(told).toContain('Remember BANANA')
  })

  test.each([
    [401, 'auth'],
    [429, 'rate-limit'],
    [500, 'overload'],
  ])('H-3 an API that answers %i fails the run as %s', async (status, failure) => {
    api.respond(() => errorReply(status))
    const { run } = await say(await newThread(), 'Hello')
    expect(run).toMatchObject({ status: 'failed', failure: { class: failure } })
  })

  test('E-5 its sandbox keeps a run that may only read from writing', async () => {
    const write = toolReply('exec_command', { cmd: 'echo hi > written.txt; cat written.txt' })
    const thread = await newThread()
    api.script([write, textReply('tried')])
    const reading = await thread.send('Write', { permissionMode: 'read-only' }).result
    expect(existsSync(join(root, 'project/written.txt'))).toBe(false)
    expect(reading.run.permissionMode).toBe('read-only')
    api.script([write, textReply('done')])
    await thread.send('Write', { permissionMode: 'workspace-write' }).result
    expect(existsSync(join(root, 'project/written.txt'))).toBe(true)
  })

  test.each([
    ['a tool rule', { allowedTools: ['Read'] }],
    ['a mode of another agent', { permissionMode: 'acceptEdits' }],
  ])('A-1 refuses %s before anything is stored', async (_, options) => {
    const thread = await newThread()
    await expect(thread.send('Hello', options).result).rejects.toMatchObject({ code: 'bad-input' })
    expect((await thread.show()).messages).toEqual([])
  })
})
