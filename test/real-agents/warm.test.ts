// Processes that are kept between turns of real agents: what the model got, which process it was, what it cost, what is left.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { claudeCodeAdapter } from '../../src/adapters/claude-code/index.ts'
import type { LocalReprise, Thread, TurnOptions, TurnResult } from '../../src/api.ts'
import { notKeptWords, notUsedWords } from '../../src/core/warm/why-new-process.ts'
import { claudeCode, createReprise, type Run, sqlite } from '../../src/index.ts'
import { findTree } from '../../src/runner/process-tree.ts'
import {
  type ModelApi,
  realAgentEnv,
  requestTexts,
  silentReply,
  startModelApi,
  textReply,
  toolReply,
} from '../../src/testing/index.ts'
import { useDaemon } from '../scenarios/harness/daemon-world.ts'
import { NEWEST, quickAgent, REAL_VERSIONS } from '../scenarios/harness/program.ts'

let root: string
let api: ModelApi
let reprise: LocalReprise | null = null

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'warm-')))
  mkdirSync(join(root, 'project'))
  mkdirSync(join(root, 'home'))
  api = await startModelApi()
  api.respond(({ messages }) => textReply(`answer ${messages.length}`))
})

afterEach(async () => {
  await reprise?.close()
  reprise = null
  await api.close()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

function open(version: (typeof REAL_VERSIONS)[number]) {
  const { CLAUDE_CODE_MAX_RETRIES: _, ...env } = realAgentEnv({ api, home: join(root, 'home') })
  reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    dataDir: join(root, 'data'),
    agents: [claudeCode({ executable: quickAgent(version), env, model: 'claude-sonnet-4-5' })],
    environment: { PATH: process.env.PATH },
    warm: true,
  })
  return reprise
}

const newThread = (on: LocalReprise) => on.threads.create({ workDir: join(root, 'project') })
const turn = (thread: Thread, prompt: string, options: TurnOptions = {}) =>
  thread.send(prompt, options).result
const processOf = ({ run }: TurnResult) => [run.status, run.decision?.action, run.process]
const COMPLETED = ['completed', 'resume']

/** The living processes of the run that started them. */
const pidsOf = ({ processRunId }: Pick<Run, 'processRunId'>) =>
  findTree({ marker: processRunId ?? '', root: null }).map(({ pid }) => pid)
const gone = (run: Pick<Run, 'processRunId'>) =>
  vi.waitFor(() => expect(pidsOf(run)).toEqual([]), { timeout: 20_000, interval: 20 })

/** The last line of everything that the last request said to the model. */
function asked(): readonly string[] {
  const last = api.turns.at(-1)
  return (last ? requestTexts(last) : []).map(text => text.split('\n').at(-1) ?? '')
}

function sessionFile({ sessionId }: Pick<Run, 'sessionId'>): string {
  const projects = join(root, 'home/.claude/projects')
  const [project = ''] = readdirSync(projects)
  return join(projects, project, `${sessionId}.jsonl`)
}

const noticesOf = async ({ id }: Run) =>
  ((await reprise?.runs.events(id)) ?? []).flatMap(event =>
    event.type === 'notice' ? event.text : [],
  )

const costOf = (turns: readonly TurnResult[]) =>
  turns.reduce((sum, { run }) => sum + (run.costUsd ?? Number.NaN), 0)

const STAYING = [
  ...['--print', '--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'],
  ...['--permission-mode', 'default'],
]

/** The storms run the older version too. */
const VERSIONS = process.env.REPRISE_STORM === '1' ? REAL_VERSIONS : ([NEWEST] as const)

describe.each(VERSIONS)('Claude Code %s', version => {
  test('W-1 the next turns run on the process of the first, which knows all before; each has its own cost', async () => {
    const on = open(version)
    const thread = await newThread(on)
    const first = await turn(thread, 'one')
    const pids = pidsOf(first.run)
    const second = await turn(thread, 'two')
    const third = await turn(thread, 'three')
    expect(processOf(first)).toEqual(['completed', 'start', 'new'])
    for (const later of [second, third]) {
      expect(processOf(later)).toEqual([...COMPLETED, 'warm'])
      expect(later.run.processRunId).toBe(first.run.id)
      expect(pidsOf(later.run)).toEqual(pids)
    }
    expect(pids).toHaveLength(1)
    expect(asked()).toEqual(['one', first.text, 'two', second.text, 'three'])
    expect(first.run.exit).toBeNull()
    expect(costOf([first, second, third])).toBeCloseTo(api.billed.costUsd, 6)
    expect(await on.warm()).toMatchObject({ processes: 1, turns: { warm: 2, new: 1 } })
    await on.close()
    expect(pidsOf(first.run)).toEqual([])
  })

  test('W-1 a process that was killed between turns is replaced: the session resumes, and costs stay exact', async () => {
    const on = open(version)
    const thread = await newThread(on)
    const turns = [await turn(thread, 'one'), await turn(thread, 'two')]
    const [pid = 0] = pidsOf(turns[0]?.run ?? { processRunId: null })
    process.kill(pid, 'SIGKILL')
    turns.push(await turn(thread, 'three'), await turn(thread, 'four'))
    expect(turns.map(({ run }) => run.process)).toEqual(['new', 'warm', 'new', 'warm'])
    expect(turns.map(({ run }) => run.status)).toEqual(Array(4).fill('completed'))
    expect(asked().filter((_, at) => at % 2 === 0)).toEqual(['one', 'two', 'three', 'four'])
    expect(costOf(turns)).toBeCloseTo(api.billed.costUsd, 6)
    expect(turns.some(({ run }) => run.costDisputed)).toBe(false)
  })

  test('W-1 a process that starts before the prompt asks the model nothing; the turn on it makes one call with all that was said', async () => {
    const on = open(version)
    const thread = await newThread(on)
    const turns = [await turn(thread, 'one')]
    const [{ run }] = turns as [TurnResult]
    process.kill(pidsOf(run)[0] ?? 0, 'SIGKILL')
    await gone(run)
    const calls = api.turns.length
    const messages = () => readFileSync(sessionFile(run), 'utf8').match(/"parentUuid"/g)?.length
    const before = messages()
    // Nobody uses this one: it ends when its owner closes, after its whole start.
    expect(await thread.preWarm()).toMatchObject({ waits: true })
    await on.close()
    expect([api.turns.length, messages()]).toEqual([calls, before])
    const again = await open(version).threads.get(thread.id)
    expect(await again.preWarm()).toMatchObject({ waits: true })
    turns.push(await turn(again, 'two'), await turn(again, 'three'))
    expect(turns.map(({ run: { process: used } }) => used)).toEqual(['new', 'warm', 'warm'])
    expect(turns[1]?.run.processRunId).toMatch(/^pre_/)
    expect(api.turns.length).toBe(calls + 2)
    expect(asked().filter((_, at) => at % 2 === 0)).toEqual(['one', 'two', 'three'])
    expect(costOf(turns)).toBeCloseTo(api.billed.costUsd, 6)
    expect(turns.some(({ run: { costDisputed } }) => costDisputed)).toBe(false)
  })
})

describe(`Claude Code ${NEWEST}`, () => {
  const version = NEWEST

  test('W-1 an edit forks in a new process, and the kept one ends', async () => {
    const thread = await newThread(open(version))
    const first = await turn(thread, 'one')
    const second = await turn(thread, 'two')
    expect(second.run.process).toBe('warm')
    const { messages } = await thread.show()
    await thread.edit(messages[2]?.id ?? '', 'other')
    const edited = await turn(thread, 'three')
    expect(edited.run.process).toBe('new')
    expect(edited.run.decision?.action).not.toBe('resume')
    expect(asked()).not.toContain('two')
    await gone(first.run)
    expect((await turn(thread, 'four')).run.process).toBe('warm')
  })

  test('W-1 the kept process of a thread ends when the thread is removed', async () => {
    const thread = await newThread(open(version))
    const first = await turn(thread, 'one')
    expect(pidsOf(first.run)).toHaveLength(1)
    await thread.remove()
    expect(pidsOf(first.run)).toEqual([])
  })

  test('W-1 a new process resumes when somebody wrote to the session file, or the turn wants another model', async () => {
    const thread = await newThread(open(version))
    const first = await turn(thread, 'one')
    appendFileSync(sessionFile(first.run), '\n')
    const second = await turn(thread, 'two')
    expect(processOf(second)).toEqual([...COMPLETED, 'new'])
    expect(await noticesOf(second.run)).toEqual([notUsedWords('session-file')])
    expect(asked()).toContain('one')
    await gone(first.run)
    const third = await turn(thread, 'three', { model: 'claude-haiku-4-5' })
    expect(processOf(third)).toEqual([...COMPLETED, 'new'])
    expect(await noticesOf(third.run)).toEqual([notUsedWords('command')])
    await gone(second.run)
  })

  test('W-1 a process that left another process behind does not stay, and nothing is left', async () => {
    const thread = await newThread(open(version))
    api.script([
      toolReply('Bash', {
        command: 'tail -f /dev/null >/dev/null 2>&1 & echo on',
        description: 'x',
      }),
      textReply('done'),
    ])
    const first = await turn(thread, 'one', { allowedTools: ['Bash'] })
    expect(first.run.exit).not.toBeNull()
    expect(await noticesOf(first.run)).toEqual([notKeptWords('left-processes')])
    expect(pidsOf(first.run)).toEqual([])
    expect((await turn(thread, 'two')).run.process).toBe('new')
  })

  test('W-1 a cancelled turn ends its warm process; the next one resumes', async () => {
    const on = open(version)
    const thread = await newThread(on)
    const first = await turn(thread, 'one')
    api.script([silentReply()])
    const second = thread.send('two')
    await api.waitFor(request => requestTexts(request).some(text => text.endsWith('two')))
    await second.cancel()
    expect((await second.result).run).toMatchObject({ status: 'cancelled', process: 'warm' })
    expect(pidsOf(first.run)).toEqual([])
    const third = await turn(thread, 'three')
    expect([third.run.status, third.run.process]).toEqual(['completed', 'new'])
  })

  test('W-1 nothing outlives a program that is killed with a process at rest', async () => {
    const file = fileURLToPath(new URL('./warm-owner.ts', import.meta.url))
    const owner = spawn(process.execPath, [file, root, quickAgent(version), api.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: owner.stdout })[Symbol.asyncIterator]()
    const said = async () => JSON.parse((await lines.next()).value ?? '{}')
    const { runId, threadId } = await said()
    expect(await said()).toMatchObject({ process: 'warm' })
    expect(pidsOf({ processRunId: runId })).toHaveLength(1)
    owner.kill('SIGKILL')
    await gone({ processRunId: runId })
    const on = open(version)
    const third = await turn(await on.threads.get(threadId), 'three')
    expect(processOf(third)).toEqual([...COMPLETED, 'new'])
    expect(asked()).toContain('two')
  })
})

test.each(REAL_VERSIONS)(
  'C-2 W-1 Claude Code %s saves the prompt before it asks the model, and the answer before it says that the turn is over',
  async version => {
    const sessionId = randomUUID()
    const isSaved = (text: string) => {
      const file = sessionFile({ sessionId })
      return existsSync(file) && readFileSync(file, 'utf8').includes(text)
    }
    const saved: boolean[] = []
    api.respond(() => {
      saved.push(isSaved('The whole prompt.'))
      return textReply('The whole answer.')
    })
    const env = { ...realAgentEnv({ api, home: join(root, 'home') }), ...claudeCodeAdapter.setEnv }
    const agent = spawn(quickAgent(version), [...STAYING, '--session-id', sessionId], {
      cwd: join(root, 'project'),
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const message = { role: 'user', content: 'The whole prompt.' }
    agent.stdin.write(`${JSON.stringify({ type: 'user', message })}\n`)
    createInterface({ input: agent.stdout }).on('line', line => {
      if (JSON.parse(line).type !== 'result') return
      agent.stdin.end()
      // Looked at in the same moment: a program that saves late has saved a moment later too.
      saved.push(isSaved('The whole answer.'))
    })
    await once(agent, 'close')
    expect(saved).toEqual([true, true])
  },
)

describe('a daemon', () => {
  const current = useDaemon(NEWEST, {})

  test('W-1 keeps the process of a thread for its next turn, and takes it along when it is killed', async () => {
    const { world, daemon } = current()
    const remote = world.connect(daemon)
    const thread = await remote.threads.create({ workDir: world.workDir })
    const first = await turn(thread, 'one')
    const second = await turn(thread, 'two')
    expect([first.run.process, second.run.process]).toEqual(['new', 'warm'])
    expect(pidsOf(second.run)).toHaveLength(1)
    daemon.signal('SIGKILL')
    await daemon.end
    await gone(second.run)
  })
})
