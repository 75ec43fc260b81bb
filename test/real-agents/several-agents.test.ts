// Real Claude Code and real codex on one thread and in one chain, against the fake model API: each gets what it missed, and continues its own session.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LocalReprise, TurnResult } from '../../src/api.ts'
import {
  claudeCode,
  codex as codexAgent,
  createReprise,
  type Policy,
  sqlite,
} from '../../src/index.ts'
import {
  type ModelApi,
  realAgentEnv,
  requestTexts,
  startModelApi,
  textReply,
  toolReply,
} from '../../src/testing/index.ts'
import { codex, commandOf, environmentOf } from '../agents/agent-programs.ts'
import { NEWEST, quickAgent } from '../scenarios/harness/program.ts'

let root: string
let api: ModelApi
let reprise: LocalReprise

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'several-')))
  mkdirSync(join(root, 'project'))
  api = await startModelApi()
  const home = join(root, 'home')
  const place = { apiUrl: api.url, home, temporary: join(root, 'tmp') }
  const { PATH, ...env } = environmentOf(codex, place)
  const executable = commandOf(codex).at(-1) ?? ''
  reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    dataDir: join(root, 'data'),
    agents: [
      claudeCode({
        executable: quickAgent(NEWEST),
        env: realAgentEnv({ api, home }),
        model: 'claude-sonnet-4-5',
      }),
      codexAgent({ executable, env, permissionMode: 'workspace-write' }),
    ],
    environment: { PATH },
  })
})

afterEach(async () => {
  await reprise.close()
  await api.close()
  rmSync(root, { recursive: true, force: true })
})

const wayOf = ({ run }: TurnResult) => run.decision?.action

/** What the last request said to the model, and which agent sent it. */
const told = () => {
  const last = api.turns.at(-1)
  return { wire: last?.wire, text: last ? requestTexts(last).join('\n') : '' }
}

test('T-5 A-1 a thread goes from Claude Code to codex and back: each hears what it missed once, and resumes its own session', async () => {
  api.respond(() => textReply('Noted.'))
  const thread = await reprise.threads.create({ workDir: join(root, 'project') })
  const first = await thread.send('The word is BANANA').result
  expect(first.run.agent).toBe('claude-code')
  const second = await thread.send('The other word is CHERRY', { agent: 'codex' }).result
  expect(wayOf(second)).toBe('replay')
  expect(told().wire).toBe('responses')
  expect(told().text).toContain('BANANA')
  const third = await thread.send('Which words?', { agent: 'claude-code' }).result
  expect(wayOf(third)).toBe('resume')
  expect(third.run.sessionId).toBe(first.run.sessionId)
  expect(told().wire).toBe('messages')
  expect(told().text.split('The word is BANANA')).toHaveLength(2)
  expect(told().text.split('The other word is CHERRY')).toHaveLength(2)
  const fourth = await thread.send('And now?', { agent: 'codex' }).result
  expect(wayOf(fourth)).toBe('resume')
  expect(fourth.run.sessionId).toBe(second.run.sessionId)
  expect(told().text.split('Which words?')).toHaveLength(2)
  expect([first, second, third, fourth].map(({ run }) => run.costUsd === null)).toEqual([
    false,
    true,
    false,
    true,
  ])
})

const POLICY: Policy = {
  ...{ name: 'held', agent: 'codex', maxTier: 2, contextThreshold: null },
  trust: 'project',
  sandbox: 'none',
  budget: { usd: null, tokens: null, runs: null, wallClockMs: null },
  tiers: (['read-only', 'workspace-write'] as const).map((permissionMode, at) => ({
    ...{ name: `tier ${at + 1}`, role: 'Look at it.', model: null, permissionMode },
    ...{ allowedTools: [], disallowedTools: [], actions: [], cooldownMs: 0, dryRun: false },
    budget: { usd: null, tokens: null, runs: null, wallClockMs: null },
    ...{ contextThreshold: null, approval: 'auto' as const },
  })),
}

const verdict = (word: string, summary = 's') =>
  textReply(
    `Looked.\n\n\`\`\`json\n${JSON.stringify({ verdict: word, summary, reason: 'r', findings: [] })}\n\`\`\``,
  )

test('E-5 E-2 tiers that codex runs are held by its sandbox, each in its own mode, on a fork of the session below', async () => {
  api.script([verdict('escalate'), verdict('resolved')])
  const chain = await reprise.chains.start({
    policy: POLICY,
    workDir: join(root, 'project'),
    prompt: 'The word is BANANA',
  }).result
  expect(chain.runs.map(({ permissionMode }) => permissionMode)).toEqual([
    'read-only',
    'workspace-write',
  ])
  expect(chain.runs.map(run => run.decision?.action)).toEqual(['start', 'fork'])
  expect(told().text).toContain('BANANA')
  expect(chain.status).toBe('resolved')
})

/** Claude Code gives its verdict by a tool, and then ends its turn; codex gives it as a text. */
function answerByTier(summaries: readonly string[]): void {
  const judged = new Set<number>()
  api.respond(request => {
    const places = requestTexts(request)
      .join('\n')
      .matchAll(/operate as tier (\d)/g)
    const tier = Math.max(...[...places].map(([, number]) => Number(number)))
    if (judged.has(tier)) return textReply('Done.')
    judged.add(tier)
    const summary = summaries[tier - 1] ?? ''
    const word = tier < summaries.length ? 'escalate' : 'resolved'
    if (request.wire !== 'messages') return verdict(word, summary)
    return toolReply('StructuredOutput', { verdict: word, summary, reason: 'r', findings: [] })
  })
}

test('E-16 E-8 D-2 a chain goes from Claude Code to codex and back: a note for codex, then a fork that hears what it missed, once', async () => {
  answerByTier(['It is PEACH.', 'It is CHERRY.', 'All is well.'])
  const [tier] = POLICY.tiers
  if (!tier) throw new Error('the policy has no tier')
  const claude = { ...tier, permissionMode: null, trust: 'none' as const }
  const policy: Policy = {
    ...POLICY,
    agent: 'claude-code',
    maxTier: 3,
    tiers: [claude, { ...tier, agent: 'codex' }, claude],
  }
  const chain = await reprise.chains.start({
    policy,
    workDir: join(root, 'project'),
    prompt: 'The word is BANANA',
  }).result
  expect(chain.words).toBe('tier 3 says that it is resolved')
  expect(chain.byTier.map(({ agent }) => agent)).toEqual(['claude-code', 'codex', 'claude-code'])
  expect(chain.runs.map(run => run.decision?.action)).toEqual(['start', 'handover', 'fork'])
  const heard = (wire: string) => {
    const last = api.turns.findLast(turn => turn.wire === wire)
    const text = last ? requestTexts(last).join('\n') : ''
    return ['The word is BANANA', 'It is PEACH.', 'It is CHERRY.'].map(
      said => text.split(said).length - 1,
    )
  }
  expect(heard('responses')).toEqual([1, 1, 0])
  const [banana, , cherry] = heard('messages')
  expect([banana, cherry]).toEqual([1, 1])
  expect(chain.byTier.map(({ costUsd }) => costUsd === null)).toEqual([false, true, false])
  expect(chain.totals.runsWithoutCost).toBe(1)
  expect(chain.totals.costUsd).toBeGreaterThan(0)
  expect(chain.byTier[1]?.tokens).toBeGreaterThan(0)
})

test.each([
  ['a rule about tools', { allowedTools: ['Read'] }],
  ['a mode of another agent', { permissionMode: 'dontAsk' }],
])('E-5 a policy that holds codex to %s is refused in words', async (_, change) => {
  const policy = { ...POLICY, tiers: POLICY.tiers.map(tier => ({ ...tier, ...change })) }
  const refused = reprise.chains.start({ policy, workDir: join(root, 'project'), prompt: 'x' })
  await expect(refused.result).rejects.toMatchObject({
    code: 'bad-input',
    message: expect.stringContaining('codex'),
  })
})
