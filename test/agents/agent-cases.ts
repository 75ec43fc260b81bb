// The cases in which every agent is shown on its real program, under Reprise, against the fake model API.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { LocalReprise, Thread, TurnResult } from '../../src/api.ts'
import {
  type AgentConfig,
  acp,
  claudeCode,
  codex,
  createReprise,
  pi,
  sqlite,
} from '../../src/index.ts'
import { findTree, signalProcesses } from '../../src/runner/process-tree.ts'
import {
  type BilledUsage,
  errorReply,
  type ModelApi,
  requestTexts,
  silentReply,
  startModelApi,
  textReply,
} from '../../src/testing/index.ts'
import {
  ACP_PROGRAMS,
  claude,
  codex as codexProgram,
  commandOf,
  environmentOf,
  pi as piProgram,
} from './agent-programs.ts'
import { PROVEN, type Way } from './proven.ts'

/** Of a program that tries again in silence. Longer than any of them is silent otherwise, with a model that answers at once. */
const PATIENCE_MS = 12_000

export function agentCases(name: string): void {
  const program = [...ACP_PROGRAMS, claude, codexProgram, piProgram].find(one => one.name === name)
  const proven = PROVEN.find(({ agent }) => agent === name)
  if (!program || !proven) throw new Error(`nobody knows ${name}`)
  const { way, evidence, second, afterKill, afterFirstKill, afterEdit, afterLoss, afterImport } =
    proven
  const { asks, errors, tokens, cost, command } = proven

  let root: string
  let api: ModelApi
  let reprise: LocalReprise
  let thread: Thread
  let firstCostUsd: number | null
  const home = () => join(root, 'home')

  function open(silenceMs?: number, base = root): LocalReprise {
    const place = { apiUrl: api.url, home: join(base, 'home'), temporary: join(base, 'tmp') }
    const { PATH, ...env } = environmentOf(program ?? never(), place)
    return createReprise({
      store: sqlite(join(base, 'reprise.db')),
      dataDir: join(base, 'data'),
      agents: [agentWith(env)],
      environment: { PATH },
      ...(silenceMs !== undefined && { limits: { silenceMs } }),
    })
  }

  function agentWith(env: Readonly<Record<string, string>>): AgentConfig {
    const words = commandOf(program ?? never())
    if (way === 'ACP') return acp({ name, command: words, env })
    const settings = { executable: words.at(-1) ?? '', env }
    if (name === 'codex') return codex({ ...settings, permissionMode: 'workspace-write' })
    if (name === 'pi') return pi({ ...settings, permissionMode: 'all-tools' })
    return claudeCode({ ...settings, model: 'claude-sonnet-4-5' })
  }

  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)))
    mkdirSync(join(root, 'project'))
    api = await startModelApi()
    reprise = open()
    thread = await newThread()
  })
  afterAll(async () => {
    await reprise.close()
    await api.close()
    rmSync(root, { recursive: true, force: true })
  })
  beforeEach(() => api.respond(() => undefined))

  const newThread = () => reprise.threads.create({ workDir: join(root, 'project') })
  const wayOf = ({ run }: TurnResult) => run.decision?.action

  /** What the model heard in the last request with these words. */
  function heardWith(words: string): string {
    const asked = api.requests.findLast(request =>
      requestTexts(request).some(text => text.includes(words)),
    )
    return asked ? requestTexts(asked).join('\n') : ''
  }

  const tokensIn = (used: Omit<BilledUsage, 'cacheWriteHourTokens'>) =>
    used.inputTokens + used.outputTokens + used.cacheReadTokens + used.cacheWriteTokens
  const times = (text: string, words: string) => text.split(words).length - 1
  const processesOf = (runId: string) =>
    findTree({ marker: runId, root: { pid: 2 ** 30, startTime: '0' } })

  async function expectHeard(result: TurnResult, way: Way): Promise<void> {
    expect([result.run.status, result.run.failure, wayOf(result)]).toEqual(['completed', null, way])
    expect(processesOf(result.run.id)).toEqual([])
  }

  describe(`${name}, ${way}`, () => {
    test('A-2 is greeted, and says its version', async () => {
      const [report] = await reprise.agents()
      expect(report).toMatchObject({ found: true, problem: null, version: program.version })
      expect(report?.abilities.resume).toBe(second === 'resume')
    })

    test('A-2 T-1 answers the first turn, and says what it used', async () => {
      const first = await thread.send('Remember BANANA').result
      expect([first.run.failure, first.text]).toEqual([null, expect.stringContaining('MOCK-OK')])
      expect(tokensIn(first.run.usage) > 0 ? 'reported' : 'not reported').toBe(tokens)
      expect(first.run.costUsd === null ? 'not reported' : 'reported').toBe(cost)
      expect(first.run.costUsd).not.toBe(0)
      firstCostUsd = first.run.costUsd
      expect(processesOf(first.run.id)).toEqual([])
    })

    test(`A-2 C-2 goes on in the second turn: ${second}`, async () => {
      const [before] = await reprise.sessions.list({ threadId: thread.id })
      expect(before).toMatchObject({ pointer: 'confirmed', evidence: evidence[0] })
      const billedBefore = tokensIn(api.billed)
      const answer = await thread.send('Which word?').result
      await expectHeard(answer, second)
      // Some agents count from the beginning of the session, and some ask the model about things of their own too.
      expect(tokensIn(answer.run.usage)).toBeLessThanOrEqual(tokensIn(api.billed) - billedBefore)
      if (firstCostUsd !== null && second === 'resume') {
        // What was said before comes from the cache.
        expect(answer.run.costUsd).toBeLessThan(firstCostUsd)
      }
      expect(times(heardWith('Which word?'), 'Remember BANANA')).toBe(2)
      const [after] = await reprise.sessions.list({ threadId: thread.id })
      expect(after?.evidence).toBe(evidence[1])
    })

    test(`A-2 F-3 is killed in the middle of a turn, and goes on: ${afterKill}`, async () => {
      api.respond(() => silentReply())
      const turn = thread.send('Think long')
      await api.waitFor(request => requestTexts(request).some(text => text.includes('Think long')))
      const { runId } = await turn.submitted
      signalProcesses(processesOf(runId), 'SIGKILL')
      expect((await turn.result).run).toMatchObject({ status: 'interrupted' })
      api.respond(() => undefined)
      const next = await thread.send('Go on').result
      await expectHeard(next, afterKill)
      const heard = heardWith('Go on')
      expect([times(heard, 'Think long'), heard.includes('Remember BANANA')]).toEqual([1, true])
    })

    test(`A-2 F-3 is killed in the middle of its first turn, and goes on: ${afterFirstKill}`, async () => {
      const talk = await newThread()
      api.respond(() => silentReply())
      const turn = talk.send('Begin with MELON')
      await api.waitFor(request => requestTexts(request).some(text => text.includes('MELON')))
      const { runId } = await turn.submitted
      signalProcesses(processesOf(runId), 'SIGKILL')
      expect((await turn.result).run).toMatchObject({ status: 'interrupted' })
      api.respond(() => undefined)
      await expectHeard(await talk.send('Go on from there').result, afterFirstKill)
      expect(times(heardWith('Go on from there'), 'Begin with MELON')).toBe(1)
    })

    test(`A-2 T-4 D-4 hears an edit, and not what the message was before: ${afterEdit}`, async () => {
      const [, , second] = (await thread.show()).messages
      await thread.edit(second?.id ?? '', 'Which of the words?')
      const answer = await thread.send('After the edit').result
      await expectHeard(answer, afterEdit)
      const heard = heardWith('After the edit')
      const { messages } = await thread.show()
      const said = messages.map(({ text }) => text).join('\n')
      // The answer to the prompt as it was repeats it, and is still in the thread.
      for (const words of ['Remember BANANA', 'Which word?', 'Which of the words?']) {
        expect([words, times(heard, words)]).toEqual([words, times(said, words)])
      }
    })

    test('A-2 D-8 goes on in another work dir with the transcript', async () => {
      const talk = await newThread()
      await talk.send('Remember CHERRY').result
      mkdirSync(join(root, 'elsewhere'))
      const answer = await talk.send('Which fruit?', { workDir: join(root, 'elsewhere') }).result
      await expectHeard(answer, 'replay')
      expect(heardWith('Which fruit?')).toContain('Remember CHERRY')
    })

    if (asks) {
      test('A-2 T-7 asks before a command: a person allows one, and nobody allows the other', async () => {
        const talk = await newThread()
        const file = join(root, 'project/written.txt')
        plan(command(`echo hi > ${file}`))
        const refused = await talk.send('Write').result
        expect([refused.run.status, existsSync(file)]).toEqual(['completed', false])
        plan(command(`echo hi > ${file}`))
        const turn = talk.send('Write again', { questions: 'ask' })
        for await (const event of turn) {
          if (event.type !== 'question') continue
          const { toolUseId } = event
          await reprise.runs.answer(event.runId, { allow: true, toolUseId })
        }
        const { run } = await turn.result
        expect([run.status, existsSync(file)]).toEqual(['completed', true])
      })
    }

    test(`A-2 V-3 goes on in another store, to which its thread came in a file: ${afterImport}`, async () => {
      const talk = await newThread()
      await talk.send('Remember PEACH').result
      const file = await Array.fromAsync((await reprise.threads.export(talk.id)).content)
      const trustKey = await reprise.threads.publicKey()
      const base = join(root, 'other')
      const workDir = join(base, 'project')
      mkdirSync(workDir, { recursive: true })
      const other = open(undefined, base)
      try {
        const taken = await other.threads.import(Readable.from(file), { workDir, trustKey })
        const travels = afterImport === 'resume'
        expect([taken.sessions, taken.replayed]).toEqual([
          travels ? 1 : 0,
          travels ? [] : [{ agent: name, because: 'agent-keeps-them' }],
        ])
        const arrived = await other.threads.get(taken.threadId)
        await expectHeard(await arrived.send('Which fruit now?').result, afterImport)
        // The prompt once, and once in the echo of the answer.
        expect(times(heardWith('Which fruit now?'), 'Remember PEACH')).toBe(2)
      } finally {
        await other.close()
      }
    })

    test(`A-2 T-6 goes on when everything that it had saved is gone: ${afterLoss}`, async () => {
      rmSync(home(), { recursive: true, force: true })
      await reprise.close()
      reprise = open()
      thread = await reprise.threads.get(thread.id)
      const answer = await thread.send('Still there?').result
      await expectHeard(answer, afterLoss)
      expect(times(heardWith('Still there?'), 'Remember BANANA')).toBeGreaterThan(0)
    })

    test.each([401, 429, 500] as const)(
      'A-2 H-3 fails in time when the model API answers %i',
      async status => {
        api.respond(() => errorReply(status))
        await reprise.close()
        reprise = open(errors[status] === 'silent' ? PATIENCE_MS : undefined)
        const { run } = await (await newThread()).send('This fails').result
        expect([run.status, run.failure?.class]).toEqual([
          errors[status] === 'silent' ? 'interrupted' : 'failed',
          errors[status],
        ])
        expect(processesOf(run.id)).toEqual([])
      },
    )
  })

  /** What the model says to the next turn; other requests of the program get an echo. */
  function plan(call: ReturnType<typeof command>): void {
    const queue = [call, textReply('Done.')]
    api.respond(request => (request.tools.length === 0 ? undefined : queue.shift()))
  }
}

function never(): never {
  throw new Error('the program is known')
}
