// The real Agent SDK and the real program, once alone and once through `reprise-claude`: what the caller gets is the same.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_USAGE } from '../../src/core/run/events.ts'
import { type Act, append, call, say } from '../scenarios/harness/acts.ts'
import { anonymous, DROP_IN, DropInWorld } from '../scenarios/harness/drop-in-world.ts'
import { agentSdk, type Harness } from '../scenarios/harness/harness.ts'
import { NEWEST } from '../scenarios/harness/program.ts'

/** What the SDK gives, message by message. */
type Said = Readonly<Record<string, unknown>>
type Options = Readonly<Record<string, unknown>>
type Query = {
  query(asked: { prompt: unknown; options: Options }): AsyncIterable<Said>
}

describe('W-2 the drop-in in front of the real program', () => {
  let dropIn: DropInWorld
  let world: Harness
  let sdk: Query
  let executable: string

  beforeAll(async () => {
    dropIn = await DropInWorld.open(NEWEST)
    world = dropIn.harness
    executable = dropIn.executable
    sdk = (await agentSdk()) as unknown as Query
  })
  afterAll(() => world.close())

  type Asked = {
    readonly acts: readonly Act[]
    readonly options?: Options
    readonly prompts?: readonly string[]
    readonly stopAt?: string
  }

  async function ask(file: string, { acts, options = {}, prompts = ['do it'], stopAt }: Asked) {
    world.model.plan(acts)
    const abortController = new AbortController()
    const said: Said[] = []
    let error = ''
    let results = 0
    const turnOver = prompts.map(() => Promise.withResolvers<void>())
    async function* input() {
      for (const [index, content] of prompts.entries()) {
        if (index > 0) await turnOver[index - 1]?.promise
        yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null }
      }
      await turnOver.at(-1)?.promise
    }
    try {
      const usual = {
        cwd: world.workDir,
        pathToClaudeCodeExecutable: file,
        env: dropIn.environment(),
      }
      const all = { ...usual, abortController, ...options }
      for await (const message of sdk.query({ prompt: input(), options: all })) {
        said.push(message)
        if (message.type === 'result') turnOver[results++]?.resolve()
        if (message.type === stopAt) abortController.abort()
      }
    } catch (thrown) {
      error = String(thrown)
    } finally {
      for (const { resolve } of turnOver) resolve()
    }
    return { said, error, sessionId: String(said.find(({ session_id: id }) => id)?.session_id) }
  }

  /** Asks twice, once through the drop-in, and compares everything that is not an id, a time or a price. */
  async function compare(asked: (sessionId: string) => Asked, sessions?: Sessions) {
    const bare = await ask(executable, asked(sessions?.bare ?? ''))
    const through = await ask(DROP_IN, asked(sessions?.through ?? ''))
    expect(through.said.map(shape)).toEqual(bare.said.map(shape))
    expect(anonymous(through.error)).toBe(anonymous(bare.error))
    expect(bare.said.length).toBeGreaterThan(1)
    return { bare: bare.sessionId, through: through.sessionId }
  }

  type Sessions = { readonly bare: string; readonly through: string }
  let begun: Sessions

  test('a new session with hooks, permissions and two prompts', async () => {
    const asked: string[] = []
    const canUseTool = async (name: string, input: { readonly file_path: string }) => {
      asked.push(`permission ${name}`)
      if (input.file_path?.includes('forbidden')) return { behavior: 'deny', message: 'not today' }
      return { behavior: 'allow', updatedInput: input }
    }
    const hook = async ({ tool_name: name }: { readonly tool_name: string }) => {
      asked.push(`hook ${name}`)
      return {}
    }
    const options = { canUseTool, hooks: { PreToolUse: [{ hooks: [hook] }] }, settingSources: [] }
    const write = (name: string) => call('Write', { file_path: world.path(name), content: 'x' })
    const acts = [write('forbidden'), write(`allowed`), say('first'), say('second')]
    begun = await compare(() => {
      rmSync(world.path('allowed'), { force: true })
      return { acts, options, prompts: ['write both', 'and now'] }
    })
    const half = asked.length / 2
    expect(asked.slice(half)).toEqual(asked.slice(0, half))
    expect(half).toBeGreaterThanOrEqual(4)
  })

  test('a resume', async () => {
    const again = await compare(
      resume => ({ acts: [append(world.path('resumed'), 'x'), say('third')], options: { resume } }),
      begun,
    )
    expect(again).toEqual(begun)
  })

  test('a fork', async () => {
    const options = (resume: string) => ({ resume, forkSession: true })
    const forked = await compare(
      resume => ({ acts: [say('fork')], options: options(resume) }),
      begun,
    )
    expect(forked.through).not.toBe(begun.through)
  })

  test('an abort in the middle of an answer', async () => {
    const acts = [call('Bash', { command: 'sleep 60', description: 'wait' }), say('never')]
    await compare(() => ({ acts, stopAt: 'assistant', options: { settingSources: [] } }))
  })

  test('V-1 a deleted session is resumed all the same, and what was said is still known', async () => {
    rmSync(world.path('home/.claude/projects'), { recursive: true })
    const asked = { acts: [say('still here')], options: { resume: begun.through } }
    const { said, sessionId } = await ask(DROP_IN, asked)
    expect(sessionId).toBe(begun.through)
    expect(said.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'still here' })
    const bare = await ask(executable, { acts: [], options: { resume: begun.bare } })
    expect(bare.error).toContain('No conversation found')
    world.model.reset()
  })

  test('all of it is on record: a thread for each session, each turn once, each cost once', async () => {
    const reprise = dropIn.record()
    try {
      const items = await reprise.threads.list()
      const forks = items.filter(({ forkedFrom }) => forkedFrom !== null)
      const first = items.find(({ id }) => id === forks[0]?.forkedFrom)
      expect(forks.length).toBe(1)
      expect(first).toMatchObject({ title: 'write both', turnCount: 4 })
      const { messages } = await (await reprise.threads.get(first?.id ?? '')).show()
      expect(messages.map(({ text }) => text)).toEqual([
        ...['write both', 'first', 'and now', 'second'],
        ...['do it', 'third', 'do it', 'still here'],
      ])
      expect(messages[1]?.tools.map(({ name }) => name)).toEqual(['Write', 'Write'])
      const runs = await reprise.runs.list()
      for (const { processRunId } of runs) {
        const ofProcess = runs.filter(run => run.processRunId === processRunId)
        const booked = ofProcess.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
        const none = { usage: NO_USAGE, model: null }
        const { costUsd } = world.model.bill({ id: processRunId ?? '', ...none })
        expect(booked).toBeCloseTo(costUsd, 6)
      }
      expect(await reprise.verify()).toEqual([])
    } finally {
      await reprise.close()
    }
  })
})

/** Prices and tokens depend on what the API has seen before, times on the machine. */
const MEASURED = /usage|cost|_ms$|ms$|timestamp|uuid|_at$|tokens|fingerprint|socket/i

function shape(message: Said): unknown {
  return JSON.parse(
    JSON.stringify(message, (key, value) => {
      if (MEASURED.test(key)) return '-'
      if (typeof value === 'number') return 0
      return typeof value === 'string' ? anonymous(value) : value
    }),
  )
}
