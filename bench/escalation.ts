// What a three-tier incident is billed when each tier goes on with the session below (whole, or with long outputs cut), and when
// it gets a handover note instead: without a check repeated, and with a quarter of the checks repeated, as those who work with
// notes report. `auto` lets Reprise choose. A trimmed tier may read whole outputs again. ESCALATION_VERSION runs one version only.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPolicyFile } from '../src/config/read-policy.ts'
import type { Carry } from '../src/core/chain/carry.ts'
import type { Policy } from '../src/core/chain/policy.ts'
import { NO_BUDGET } from '../src/core/money/budget.ts'
import { claudeCode, createReprise, sqlite } from '../src/index.ts'
import { type Billed, type ScriptedReply, startModelApi, toolReply } from '../src/testing/index.ts'
import { createWorld, REAL_AGENTS } from './real-agents.ts'

const CHECKS = 12
const OUTPUT_CHARS = [4_000, 40_000]
const REPAIRS = 3
const REPEATED_SHARE = 0.25

const WAYS = [
  'resume',
  'trimmed',
  'trimmed, 1 read again',
  'trimmed, 3 read again',
  'note',
  'note, a quarter repeated',
  'auto',
] as const
type Way = (typeof WAYS)[number]
type Incident = {
  readonly executable: string
  readonly models: readonly string[]
  readonly way: Way
  readonly outputChars: number
}

const MODELS = {
  'three models': ['claude-haiku-4-5', 'claude-sonnet-4-5', 'claude-opus-4-8'],
  'one model': ['claude-sonnet-4-5', 'claude-sonnet-4-5', 'claude-sonnet-4-5'],
} as const

/** A note is what a chain gets that may not resume. */
const CARRY_OF: Readonly<Record<string, Carry>> = { trimmed: 'trimmed', auto: 'auto' }

const versions = REAL_AGENTS.filter(
  ({ version }) => version === (process.env.ESCALATION_VERSION ?? version),
)
for (const { version, executable } of versions) {
  for (const outputChars of OUTPUT_CHARS) {
    for (const [name, models] of Object.entries(MODELS)) {
      const bills = new Map<Way, Billed>()
      for (const way of WAYS) bills.set(way, await bill({ executable, models, way, outputChars }))
      report(`Claude Code ${version}, ${name}, outputs of ${outputChars / 1_000} kB`, bills)
    }
  }
}

async function bill({ executable, models, way, outputChars }: Incident): Promise<Billed> {
  const api = await startModelApi()
  const { directory, workDir, env, remove } = createWorld(executable, api.url)
  api.script(incident(way))
  for (let check = 0; check < CHECKS; check += 1) {
    writeFileSync(join(workDir, `check-${check}.txt`), finding(check, outputChars))
  }
  const reprise = createReprise({
    store: sqlite(join(directory, 'reprise.db')),
    agents: [claudeCode()],
    dataDir: join(directory, 'data'),
    environment: env,
    resume: { mode: way.startsWith('note') ? 'never' : 'auto' },
  })
  try {
    const policy = policyOf(models, way)
    const chain = await reprise.chains.start({ policy, prompt: 'Check all services.', workDir })
      .result
    const actions = chain.runs.map(run => run.decision?.action).join()
    const expected = way.startsWith('note') ? 'start,handover,handover' : 'start,fork,fork'
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
  const repeated = way.includes('repeated') ? CHECKS * REPEATED_SHARE : 0
  // To read a kept output costs the model what the check itself would cost.
  const again = looks.slice(0, Number(/(\d) read/.exec(way)?.[1] ?? repeated))
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

function policyOf(models: readonly string[], way: Way): Policy {
  const policy = readPolicyFile(new URL('../policies/ops.yaml', import.meta.url).pathname)
  const isOneModel = new Set(models).size === 1
  const isScoped = (rule: string) => rule.includes('(')
  const tiers = policy.tiers.map((tier, at) => ({
    ...tier,
    model: models[at] ?? null,
    carry: CARRY_OF[way.split(',')[0] ?? ''] ?? 'whole',
    // E-11: to take a whole tool away costs the cache; in mode dontAsk it is enough not to allow it.
    disallowedTools: isOneModel ? tier.disallowedTools.filter(isScoped) : tier.disallowedTools,
    cooldownMs: 0,
    budget: NO_BUDGET,
  }))
  return { ...policy, budget: NO_BUDGET, tiers }
}

function finding(check: number, chars: number): string {
  return Array.from({ length: chars }, (_, at) => `service ${check} line ${at}\n`)
    .join('')
    .slice(0, chars)
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
