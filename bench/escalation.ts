// What a three-tier incident is billed when each tier goes on with the session below, and when it gets a handover note
// instead: without a check repeated, and with a quarter of the checks repeated, as those who work with notes report.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPolicyFile } from '../src/config/read-policy.ts'
import type { Policy } from '../src/core/chain/policy.ts'
import { NO_BUDGET } from '../src/core/money/budget.ts'
import { claudeCode, createReprise, sqlite } from '../src/index.ts'
import { type Billed, type ScriptedReply, startModelApi, toolReply } from '../src/testing/index.ts'
import { createWorld, REAL_AGENTS } from './real-agents.ts'

const CHECKS = 12
const CHECK_CHARS = 4_000
const REPAIRS = 3
const REPEATED_SHARE = 0.25

const WAYS = ['resume', 'note', 'note, a quarter repeated'] as const
type Way = (typeof WAYS)[number]

const MODELS = {
  'three models': ['claude-haiku-4-5', 'claude-sonnet-4-5', 'claude-opus-4-8'],
  'one model': ['claude-sonnet-4-5', 'claude-sonnet-4-5', 'claude-sonnet-4-5'],
} as const

for (const { version, executable } of REAL_AGENTS) {
  for (const [name, models] of Object.entries(MODELS)) {
    const bills = new Map<Way, Billed>()
    for (const way of WAYS) bills.set(way, await bill(executable, models, way))
    report(`Claude Code ${version}, ${name}`, bills)
  }
}

async function bill(executable: string, models: readonly string[], way: Way): Promise<Billed> {
  const api = await startModelApi()
  api.script(incident(way))
  const { directory, workDir, env, remove } = createWorld(executable, api.url)
  for (let check = 0; check < CHECKS; check += 1) {
    writeFileSync(join(workDir, `check-${check}.txt`), finding(check))
  }
  const reprise = createReprise({
    store: sqlite(join(directory, 'reprise.db')),
    agents: [claudeCode()],
    dataDir: join(directory, 'data'),
    environment: env,
    resume: { mode: way === 'resume' ? 'auto' : 'never' },
  })
  try {
    const policy = policyOf(models)
    const chain = await reprise.chains.start({ policy, prompt: 'Check all services.', workDir })
      .result
    const actions = chain.runs.map(run => run.decision?.action).join()
    const expected = way === 'resume' ? 'start,fork,fork' : 'start,handover,handover'
    if (chain.status !== 'resolved' || actions !== expected) {
      throw new Error(`${way}: ${chain.status}, ${actions}: ${chain.words}`)
    }
    return api.billed
  } finally {
    await reprise.close()
    await api.close()
    remove()
  }
}

/** Looks, then repairs; what a note has shortened may be looked at once more. */
function incident(way: Way): readonly ScriptedReply[] {
  const check = (at: number) =>
    toolReply('Bash', { command: `cat check-${at}.txt`, description: 'check' })
  const repair = (at: number) =>
    toolReply('Bash', { command: `echo repair ${at}`, description: 'x' })
  const looks = Array.from({ length: CHECKS }, (_, at) => check(at))
  const repairs = Array.from({ length: REPAIRS }, (_, at) => repair(at))
  const again = way.includes('repeated') ? looks.slice(0, CHECKS * REPEATED_SHARE) : []
  return [
    ...[...looks, verdict('escalate')],
    ...[...again, ...repairs, verdict('escalate')],
    ...[...again, ...repairs, verdict('resolved')],
  ]
}

function verdict(word: string): ScriptedReply {
  const findings = [{ service: 'web', status: 'down', detail: 'connection refused on port 80' }]
  const summary = 'Two of twelve services do not answer; their containers run.'
  return toolReply('StructuredOutput', { verdict: word, summary, reason: 'a restart', findings })
}

function policyOf(models: readonly string[]): Policy {
  const policy = readPolicyFile(new URL('../policies/ops.yaml', import.meta.url).pathname)
  const isOneModel = new Set(models).size === 1
  const isScoped = (rule: string) => rule.includes('(')
  const tiers = policy.tiers.map((tier, at) => ({
    ...tier,
    model: models[at] ?? null,
    // E-11: to take a whole tool away costs the cache; in mode dontAsk it is enough not to allow it.
    disallowedTools: isOneModel ? tier.disallowedTools.filter(isScoped) : tier.disallowedTools,
    cooldownMs: 0,
    budget: NO_BUDGET,
  }))
  return { ...policy, budget: NO_BUDGET, tiers }
}

function finding(check: number): string {
  return Array.from({ length: CHECK_CHARS }, (_, at) => `service ${check} line ${at}\n`)
    .join('')
    .slice(0, CHECK_CHARS)
}

function report(title: string, bills: ReadonlyMap<Way, Billed>): void {
  const base = bills.get('resume')?.costUsd ?? Number.NaN
  process.stdout.write(`\n${title}\n`)
  const titles = ['requests', 'uncached', 'cache write', 'cache read', 'output', 'dollars', 'ratio']
  process.stdout.write(row('', titles))
  for (const [way, billed] of bills) {
    const { requests, inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens } = billed
    const counts = [requests, inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens]
    const cells = counts.map(count => count.toLocaleString('en-US'))
    const money = [billed.costUsd.toFixed(3), (billed.costUsd / base).toFixed(2)]
    process.stdout.write(row(way, [...cells, ...money]))
  }
}

function row(title: string, cells: readonly string[]): string {
  return `  ${title.padEnd(26)}${cells.map(cell => cell.padStart(12)).join('')}\n`
}
