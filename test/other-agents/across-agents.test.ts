// One thread over real Claude Code, codex and opencode: each hears only what it missed, and resumes its own session.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LocalReprise, TurnResult } from '../../src/api.ts'
import { acp, claudeCode, codex as codexAgent, createReprise, sqlite } from '../../src/index.ts'
import {
  type ModelApi,
  realAgentEnv,
  requestTexts,
  startModelApi,
  textReply,
} from '../../src/testing/index.ts'
import { ACP_PROGRAMS, codex, commandOf, environmentOf } from '../agents/agent-programs.ts'
import { NEWEST, quickAgent } from '../scenarios/harness/program.ts'

let root: string
let api: ModelApi
let reprise: LocalReprise

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'across-')))
  mkdirSync(join(root, 'project'))
  api = await startModelApi()
  api.respond(() => textReply('Noted.'))
  const home = join(root, 'home')
  const place = { apiUrl: api.url, home, temporary: join(root, 'tmp') }
  const { PATH, ...codexEnv } = environmentOf(codex, place)
  const opencode = ACP_PROGRAMS.find(({ name }) => name === 'opencode') ?? codex
  const { PATH: _, ...opencodeEnv } = environmentOf(opencode, place)
  reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    dataDir: join(root, 'data'),
    agents: [
      claudeCode({
        executable: quickAgent(NEWEST),
        env: realAgentEnv({ api, home }),
        model: 'claude-sonnet-4-5',
      }),
      codexAgent({ executable: commandOf(codex).at(-1) ?? '', env: codexEnv }),
      acp({ name: 'opencode', command: commandOf(opencode), env: opencodeEnv }),
    ],
    environment: { PATH },
  })
})

afterAll(async () => {
  await reprise.close()
  await api.close()
  rmSync(root, { recursive: true, force: true })
})

const WORDS = ['BANANA', 'CHERRY', 'PEACH', 'GRAPE', 'LEMON', 'MELON']

/** How often the model heard each word in the request that brought this one. */
function heardWith(word: string): readonly number[] {
  const asked = api.turns.findLast(turn => requestTexts(turn).some(text => text.includes(word)))
  const text = asked ? requestTexts(asked).join('\n') : ''
  return WORDS.map(one => text.split(one).length - 1)
}

test('A-3 T-5 a thread goes round three agents twice: each hears what it missed once, and resumes its own session', async () => {
  const thread = await reprise.threads.create({ workDir: join(root, 'project') })
  const rounds = ['claude-code', 'codex', 'opencode', 'claude-code', 'codex', 'opencode']
  const results: TurnResult[] = []
  for (const [index, agent] of rounds.entries()) {
    const word = WORDS[index] ?? ''
    const result = await thread.send(`The word is ${word}`, { agent }).result
    expect([result.run.agent, result.run.failure]).toEqual([agent, null])
    // Each of the words so far, and each once: neither blind nor twice.
    expect(heardWith(word)).toEqual(WORDS.map((_, at) => (at <= index ? 1 : 0)))
    results.push(result)
  }
  expect(results.map(({ run }) => run.decision?.action)).toEqual([
    ...['start', 'replay', 'replay'],
    ...['resume', 'resume', 'resume'],
  ])
  const sessions = results.map(({ run }) => run.sessionId)
  expect(sessions.slice(3)).toEqual(sessions.slice(0, 3))
  expect(new Set(sessions).size).toBe(3)
  const costs = results.map(({ run }) => (run.costUsd === null ? 'not reported' : 'reported'))
  expect(costs).toEqual(Array(2).fill(['reported', 'not reported', 'reported']).flat())
})

test('A-3 J-1 a job runs on an agent over ACP', async () => {
  const job = await reprise.jobs.submit({
    prompt: 'Say it',
    workDir: join(root, 'project'),
    agent: 'opencode',
  })
  const { status, text } = await reprise.jobs.wait(job.id)
  expect([status, text]).toEqual(['completed', 'Noted.'])
})
