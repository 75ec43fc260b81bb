// Which turn may take a process that was kept. Every difference ends the process.
import { describe, expect, test } from 'vitest'
import { RUN_SPEC, RUNTIME } from '../../../test/run-spec.ts'
import type { RunSpec } from '../../adapters/adapter.ts'
import { claudeCodeAdapter } from '../../adapters/claude-code/index.ts'
import type { Session } from '../../core/conversation/session.ts'
import { DEFAULT_WARM, type WarmSettings } from '../../core/warm/warm-settings.ts'
import { notUsedWords, type WhyNotUsed } from '../../core/warm/why-new-process.ts'
import type { Clock } from '../../core/world.ts'
import type { AgentProcess, Line, ProcessLook } from '../../runner/runner.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { contentHash } from './content-hash.ts'
import { KeptProcesses, type LeftAt } from './kept-processes.ts'
import { LiveAgent } from './live-agent.ts'
import { commandKey, filesKey } from './start-key.ts'
import { takeWarm, type Wanted } from './take-warm.ts'

const PATH = '/home/.claude/projects/-project/s.jsonl'
const AGENT = { name: 'claude-code', adapter: claudeCodeAdapter, runtime: RUNTIME } as Agent
const SPEC: RunSpec = {
  ...RUN_SPEC,
  runId: 'run_2',
  continuation: { kind: 'resume', sessionId: 's' },
  prompt: 'two',
  model: 'sonnet',
  env: { HOME: '/home' },
  stays: true,
}
const STARTS: RunSpec = { ...SPEC, continuation: { kind: 'new', sessionId: 's' } }
const SOURCE = { id: 'ses_1', sessionId: 's', pointer: 'confirmed', knownEnd: 'end' } as Session
/** Nothing ever takes too long here, unless a test says so. */
const PATIENT: Clock = {
  now: () => 0,
  sleep: (_, signal) => new Promise(resolve => signal?.addEventListener('abort', () => resolve())),
}

/** Everything takes too long. */
const HASTY: Clock = { now: () => 0, sleep: async () => {} }

/** Short times are over at once, long ones never. */
const HASTY_WITH_ANSWER: Clock = {
  ...PATIENT,
  sleep: (ms, signal) => (ms < 100 ? Promise.resolve() : PATIENT.sleep(ms, signal)),
}

type Behaviour = {
  readonly says?: string
  readonly isDeaf?: boolean
  /** What is seen of it, look after look; the last of them stays. `null`: it has ended. */
  readonly looks?: readonly (Partial<ProcessLook> | null)[]
}

/** A process that answers what it is asked, and ends when its input ends. */
function createProcess({ says, isDeaf = false, looks = [{}] }: Behaviour) {
  const exit = Promise.withResolvers<null>()
  const answer = Promise.withResolvers<Line>()
  let isEnded = false
  let looked = 0
  const process = {
    pid: 1,
    lines: (async function* () {
      const line = await Promise.race([answer.promise, exit.promise])
      if (line !== null) yield line
      await exit.promise
    })(),
    exit: exit.promise,
    write: (text: string) => {
      if (isDeaf) return
      const { request_id: id } = JSON.parse(text)
      const response = { type: 'control_response', response: { request_id: id } }
      answer.resolve({ kind: 'line', text: says ?? JSON.stringify(response) })
    },
    endInput: () => {
      isEnded = true
      exit.resolve(null)
    },
    turns: {
      rest: () => {},
      begin: () => {},
      look: () => {
        const look = looks[Math.min(looked++, looks.length - 1)] ?? null
        return look && { others: 0, memoryBytes: 1, workDir: '/project', ...look }
      },
    },
  }
  return { process: process as unknown as AgentProcess, isEnded: () => isEnded }
}

type Change = {
  readonly wanted?: Partial<Wanted>
  readonly process?: Behaviour
  readonly before?: (
    files: ReturnType<typeof memoryFiles>,
    process: AgentProcess,
  ) => Promise<unknown>
  readonly settings?: Partial<WarmSettings>
  readonly clock?: Clock
  readonly leftAt?: Partial<LeftAt>
}

async function take(change: Change) {
  const { wanted = {}, process = {}, before, clock = PATIENT, settings, leftAt = {} } = change
  const files = memoryFiles()
  await files.write(PATH, 'lines\n')
  await files.makeDirectory('/project')
  const warm = new KeptProcesses({ ...DEFAULT_WARM, ...settings }, PATIENT)
  const dependencies = { warm, files, clock } as unknown as Dependencies
  const made = createProcess(process)
  const { dialogue } = claudeCodeAdapter.open({ ...SPEC, runId: 'run_1' }, RUNTIME)
  const live = new LiveAgent({
    process: made.process,
    dialogue,
    startedBy: 'run_1',
    startedAt: 0,
  })
  const stat = await files.stat(PATH)
  const read = await filesKey({ files }, AGENT, SPEC)
  warm.keep({
    live,
    leftAt: {
      ...{ threadId: 'thr_1', agent: 'claude-code', id: 'ses_1', sessionId: 's', knownEnd: 'end' },
      ...{ path: PATH, sizeBytes: stat?.sizeBytes ?? 0 },
      fileState: { modifiedMs: stat?.modifiedMs ?? 0 },
      ...{ commandKey: commandKey(AGENT, SPEC, 's'), filesKey: read, totalUsd: 0.5 },
      ...leftAt,
    },
    ...{ startedAt: 0, restsSince: 0, memoryBytes: 1 },
  })
  await before?.(files, made.process)
  const taken = await takeWarm(dependencies, {
    ...{ threadId: 'thr_1', agent: AGENT, spec: SPEC, source: SOURCE },
    filesKey: await filesKey({ files }, AGENT, SPEC),
    ...wanted,
  }).catch((error: Error) => ({ fault: error.message }))
  return { taken, isEnded: made.isEnded(), left: warm.report().processes }
}

/** Those who watch the process have seen it then. */
const seen = () => new Promise(resolve => setImmediate(resolve))

async function endedAndSeen(process: AgentProcess): Promise<void> {
  process.endInput()
  await seen()
}

async function spokenAndSeen(process: AgentProcess): Promise<void> {
  process.write(JSON.stringify({ request_id: 'other' }))
  await seen()
}

const withSpec = (change: Partial<RunSpec>): Change => ({
  wanted: { spec: { ...SPEC, ...change } },
})
const withSource = (change: Partial<Session>): Change => ({
  wanted: { source: { ...SOURCE, ...change } },
})

describe('W-1 a process that was kept', () => {
  test('goes on with the turn that resumes what the process has left', async () => {
    const { taken, isEnded, left } = await take({})
    expect(taken).toMatchObject({
      mark: { path: PATH, sizeBytes: 6, costUsd: 0.5 },
      live: { startedBy: 'run_1' },
    })
    expect([isEnded, left]).toEqual([false, 0])
  })

  test('is taken when the words of its session file are the same, whenever somebody touched it', async () => {
    const files = memoryFiles()
    await files.write(PATH, 'lines\n')
    const hash = (await contentHash({ files }, PATH)) ?? ''
    const { taken } = await take({ leftAt: { fileState: { contentHash: hash } } })
    expect(taken).toHaveProperty('live')
    expect(await contentHash({ files }, '/nowhere')).toBeNull()
  })

  test('may take the rest of its start to answer, and three seconds at least', async () => {
    const waited: number[] = []
    const clock = (now: number): Clock => ({
      now: () => now,
      sleep: async ms => void waited.push(ms),
    })
    for (const now of [0, 5_000, 14_000])
      await take({ clock: clock(now), process: { isDeaf: true } })
    expect(waited).toEqual([15_000, 10_000, 3_000])
  })

  test('goes on when the agent has added its own note about the last message', async () => {
    const note = '{"type":"last-prompt","leafUuid":"end"}\n'
    const { taken } = await take({ before: files => files.append(PATH, note) })
    expect(taken).toMatchObject({ mark: { sizeBytes: 6 + note.length } })
  })

  test('goes on when another process of its own ends in a moment', async () => {
    const looks = [{ others: 1 }, { others: 1 }, {}]
    const { taken } = await take({ clock: HASTY_WITH_ANSWER, process: { looks } })
    expect(taken).toHaveProperty('live')
  })

  test('ends when a look at it fails, and the turn fails with the same error', async () => {
    const broken = async () => Promise.reject(new Error('EIO'))
    const before: Change['before'] = async files => Object.assign(files, { realpath: broken })
    const taken = { fault: 'EIO' }
    expect(await take({ before })).toEqual({ taken, isEnded: true, left: 0 })
  })

  test.each<[string, Change]>([
    ['no session is continued', { wanted: { source: null, spec: STARTS } }],
    [
      'the session is forked',
      withSpec({ continuation: { kind: 'fork', from: 's', at: null, sessionId: null } }),
    ],
    ['another session is resumed', withSpec({ continuation: { kind: 'resume', sessionId: 't' } })],
  ])('ends without a word when %s, as the decision says', async (_, change) => {
    expect(await take(change)).toEqual({ taken: null, isEnded: true, left: 0 })
  })

  test.each<[string, WhyNotUsed, Change]>([
    ['the turn cannot use one', 'turn', { wanted: { filesKey: null } }],
    ['the session goes on with a parked call', 'turn', withSpec({ prompt: null })],
    ['it is another pointer', 'session', withSource({ id: 'ses_2' })],
    ['the session is retired', 'session', withSource({ pointer: 'retired' })],
    ['somebody else has continued the session', 'session', withSource({ knownEnd: 'later' })],
    ['the model differs', 'command', withSpec({ model: 'opus' })],
    ['the mode differs', 'command', withSpec({ permissionMode: 'plan' })],
    ['a tool differs', 'command', withSpec({ allowedTools: ['Bash'] })],
    ['the instructions differ', 'command', withSpec({ instructionsFile: '/i.md' })],
    ['a variable differs', 'command', withSpec({ env: { HOME: '/home', X: '1' } })],
    ['the trust differs', 'command', withSpec({ trust: 'none' })],
    ['it may ask now', 'command', withSpec({ asks: true })],
    [
      'the program differs',
      'command',
      { wanted: { agent: { ...AGENT, runtime: { ...RUNTIME, fingerprint: 'g' } } } },
    ],
    ['it has ended', 'ended', { process: { looks: [null] } }],
    [
      'it has a child that stays',
      'not-alone',
      { clock: HASTY_WITH_ANSWER, process: { looks: [{ others: 1 }] } },
    ],
    ['its directory is gone', 'moved', { process: { looks: [{ workDir: '/project (deleted)' }] } }],
    ['it has ended before', 'ended', { before: (_, process) => endedAndSeen(process) }],
    ['too many were kept', 'bounds', { settings: { max: 0 } }],
    ['it has said something before', 'spoke', { before: (_, process) => spokenAndSeen(process) }],
    [
      'it says something else',
      'spoke',
      { process: { says: '{"type":"system","subtype":"status"}' } },
    ],
    ['it does not answer', 'deaf', { clock: HASTY, process: { isDeaf: true } }],
    [
      'its session file was written to',
      'session-file',
      { before: files => files.append(PATH, 'more\n') },
    ],
    [
      'a note about another message was added',
      'session-file',
      { before: files => files.append(PATH, '{"type":"last-prompt","leafUuid":"later"}\n') },
    ],
    ['its session file was touched', 'session-file', { leftAt: { fileState: { modifiedMs: -1 } } }],
    [
      'its session file has other words',
      'session-file',
      { leftAt: { fileState: { contentHash: 'other' } } },
    ],
    ['it says an empty line', 'spoke', { process: { says: '' } }],
    ['its session file is gone', 'session-file', { before: files => files.remove(PATH) }],
    [
      'notes of the project are new',
      'start-files',
      { before: files => files.write('/project/CLAUDE.md', 'x') },
    ],
    [
      'settings of the user are new',
      'start-files',
      { before: files => files.write('/home/.claude/settings.json', '{}') },
    ],
  ])('ends when %s', async (_, why, change) => {
    expect(await take(change)).toEqual({ taken: { why }, isEnded: true, left: 0 })
    expect(notUsedWords(why)).toMatch(/^The process .* is not used: .+\.$/)
  })
})
