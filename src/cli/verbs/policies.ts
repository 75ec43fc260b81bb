// reprise policies: lists, shows and checks the policies of chains.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, loadConfig } from '../../config/config.ts'
import { confinesOf, type Policy, type Tier } from '../../core/chain/policy.ts'
import { type PolicyReport, reportPolicy } from '../../core/chain/policy-report.ts'
import {
  type ConfiguredAgents,
  problemOfPolicy,
  warningsOfAgents,
} from '../../core/chain/tier-problems.ts'
import { trustWords } from '../../core/run/trust.ts'
import { VERSION } from '../../core/version.ts'
import { RepriseError } from '../../errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { type Io, paint } from '../start/io.ts'
import { type Column, printJson, printLine, usd } from '../view/print.ts'
import { printAll } from '../view/print-list.ts'
import { sanitiseLine } from '../view/sanitise.ts'

export async function listPolicies(io: Io, flags: JsonFlag): Promise<number> {
  const config = await loadConfig({ env: io.env, cwd: io.cwd, version: VERSION })
  const { policies } = config
  const { listNamedPolicies } = await import('../../config/read-policy.ts')
  const agents = await agentsOf(config)
  const reports = listNamedPolicies(policies).map(found =>
    reportPolicy(found, policy => problemOfPolicy(policy, agents)?.message ?? null),
  )
  const columns: readonly Column<PolicyReport>[] = [
    { title: 'policy', cell: row => row.name },
    {
      title: 'tiers',
      text: ({ problem, tiers }) => problem ?? tiers.map(({ name }) => name).join(' → '),
    },
    { title: 'file', text: row => policies[row.name]?.path ?? '' },
  ]
  const empty = 'no policies yet; name their files under `policies` in config.yaml'
  return printAll(io, reports, { ...flags, columns, empty })
}

export async function showPolicy(io: Io, reference: string, flags: JsonFlag): Promise<number> {
  const policy = await policyFor(io, reference)
  if (flags.json) printJson(io, policy)
  else printPolicy(io, policy)
  return 0
}

export async function checkPolicy(io: Io, file: string, flags: JsonFlag): Promise<number> {
  const { warningsOf } = await import('../../config/read-policy.ts')
  const policy = await policyFor(io, file)
  const agents = await agentsOf(await loadConfig({ env: io.env, cwd: io.cwd, version: VERSION }))
  const problem = problemOfPolicy(policy, agents)
  if (problem) throw new RepriseError(problem.code, problem.message, problem.hint)
  const warnings = [...warningsOf(policy), ...warningsOfAgents(policy, agents)]
  if (flags.json) printJson(io, { ok: true, policy, warnings })
  else {
    const names = policy.tiers.map(({ name }) => name).join(' → ')
    printLine(io, sanitiseLine(`${policy.name} is valid: ${names}`))
    for (const warning of warnings) io.stderr.write(`warning: ${sanitiseLine(warning)}\n`)
  }
  return 0
}

async function agentsOf(config: Config): Promise<ConfiguredAgents> {
  const { configuredAgents } = await import('../open/configured-agents.ts')
  return configuredAgents(config)
}

/** Reads a policy from an existing file, or by its name in the config. */
export async function policyFor(io: Io, reference: string, cwd?: string): Promise<Policy> {
  const { findPolicyFile, readPolicyFile } = await import('../../config/read-policy.ts')
  const path = resolve(io.cwd, reference)
  const isFile = reference.includes('/') || /\.ya?ml$/.test(reference) || existsSync(path)
  if (isFile && existsSync(path)) return readPolicyFile(path)
  const place = resolve(io.cwd, cwd ?? '.')
  const { policies } = await loadConfig({ env: io.env, cwd: place, version: VERSION })
  const file = findPolicyFile(policies, reference, io.cwd)
  return readPolicyFile(file.path, file.from)
}

function printPolicy(io: Io, policy: Policy): void {
  const bold = paint(io, io.stdout, 'bold')
  const most = policy.budget.usd === null ? '' : ` · at most ${usd(policy.budget.usd)}`
  printLine(io, `${bold(policy.name)} up to tier ${policy.maxTier}${most}`)
  policy.tiers.forEach((tier, at) => {
    printLine(io, `\n${bold(`tier ${at + 1}: ${sanitiseLine(tier.name)}`)}`)
    for (const [title, text] of linesOf(policy, tier)) {
      printLine(io, `  ${title.padEnd(10)} ${sanitiseLine(text)}`)
    }
  })
}

function linesOf(policy: Policy, tier: Tier): readonly (readonly [string, string])[] {
  const confines = confinesOf(policy, tier)
  const limits = [
    tier.cooldownMs > 0 ? `every ${Math.round(tier.cooldownMs / 60_000)} min at most` : '',
    tier.budget.usd === null ? '' : `${usd(tier.budget.usd)}`,
    tier.dryRun ? 'dry run' : '',
    tier.approval === 'ask' ? 'a person lets it in' : '',
  ]
  return [
    ['role', tier.role],
    ['agent', tier.agent ?? policy.agent ?? 'as the chain is started, else the default one'],
    ['model', [tier.model ?? "the agent's own", tier.permissionMode].filter(Boolean).join(', ')],
    ['allowed', tier.allowedTools.join(', ')],
    ['forbidden', tier.disallowedTools.join(', ') || '–'],
    ['actions', tier.actions.join('; ') || '–'],
    ['limits', limits.filter(Boolean).join(' · ') || '–'],
    ['trust', trustWords(confines.trust)],
    ['sandbox', confines.sandbox],
  ]
}
