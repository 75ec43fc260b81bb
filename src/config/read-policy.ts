// Finds policy files by name or path, reads them, and warns of settings that are allowed but probably not meant.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Policy, Tier } from '../core/chain/policy.ts'
import type { FoundPolicy } from '../core/chain/policy-report.ts'
import { parseRule } from '../core/fence/tool-rules.ts'
import { RepriseError } from '../errors.ts'
import { closest } from './closest.ts'
import type { PolicyFile } from './config.ts'
import { policyOf, policySchema } from './policy-schema.ts'
import { parseFile } from './read-file.ts'

export function readPolicyFile(path: string, from: PolicyFile['from'] = 'user'): Policy {
  if (!existsSync(path)) {
    throw new RepriseError(
      'not-found',
      `there is no policy file ${path}`,
      'Run `reprise policies` to see the known policies, or check the path.',
    )
  }
  const policy = policyOf(parseFile(path, policySchema))
  if (from === 'project') refuseOpening(policy, path)
  return policy
}

/** A repository must not widen the settings that protect from it. */
function refuseOpening(policy: Policy, path: string): void {
  const parts = [policy, ...policy.tiers]
  const opens = [
    ...(parts.some(({ trust }) => trust !== undefined && trust !== 'none') ? ['trust'] : []),
    ...(parts.some(({ sandbox }) => sandbox === 'none') ? ['sandbox: none'] : []),
    ...(policy.passEnv?.length ? ['passEnv'] : []),
    ...(policy.mcpServers?.length ? ['mcpServers'] : []),
    ...(policy.subagents?.length ? ['subagents'] : []),
  ]
  if (opens.length === 0) return
  throw new RepriseError(
    'bad-config',
    `${path}: a policy that a project brings along may not say ${opens.join(', ')}`,
    'Name the file under `policies` in your own config.yaml, or give its path with -p, if you trust it.',
  )
}

/** A name of `policies` in the config, or the path of a file. */
export function findPolicyFile(
  named: Readonly<Record<string, PolicyFile>>,
  reference: string,
  cwd: string,
): PolicyFile {
  const file = Object.hasOwn(named, reference) ? named[reference] : undefined
  if (file !== undefined) return file
  const isPath = reference.includes('/') || /\.ya?ml$/.test(reference)
  if (isPath) return { path: resolve(cwd, reference), from: 'user' }
  const near = closest(reference, Object.keys(named))
  throw new RepriseError(
    'not-found',
    `there is no policy named "${reference}"`,
    near === null
      ? 'Name it under `policies` in config.yaml, or give the path of its file.'
      : `Did you mean "${near}"? Policies are named under \`policies\` in config.yaml.`,
  )
}

/** Finds a policy by name alone: callers over HTTP must not choose files. */
export function readNamedPolicy(named: Readonly<Record<string, PolicyFile>>, name: string): Policy {
  const file = Object.hasOwn(named, name) ? named[name] : undefined
  if (file !== undefined) return readPolicyFile(file.path, file.from)
  const known = Object.keys(named).join(', ') || 'none yet'
  throw new RepriseError(
    'not-found',
    `there is no policy named "${name.slice(0, 100)}"`,
    `Policies are named under \`policies\` in config.yaml: ${known}.`,
  )
}

/** A file that cannot be used is listed with its problem. */
export function listNamedPolicies(
  named: Readonly<Record<string, PolicyFile>>,
): readonly FoundPolicy[] {
  return Object.entries(named).map(([name, { path, from }]) => {
    try {
      return { name, policy: readPolicyFile(path, from) }
    } catch (error) {
      if (!(error instanceof RepriseError)) throw error
      return { name, problem: error.message }
    }
  })
}

/** Warnings about a policy that works, but costs more or forbids less than its author may think. */
export function warningsOf({ tiers }: Policy): readonly string[] {
  return tiers.flatMap((tier, at) => [
    ...contradictions(tier, at + 1),
    ...(tier.actions.length === 0 && at > 0
      ? [`tier ${at + 1} has no actions: its prompt says that it may do nothing beyond its role`]
      : []),
    ...coldCache(tiers[at - 1], tier, at + 1),
  ])
}

function contradictions(tier: Tier, number: number): readonly string[] {
  return tier.allowedTools
    .filter(rule => tier.disallowedTools.includes(rule))
    .map(rule => `tier ${number} both allows and forbids ${rule}: it is forbidden`)
}

/** A bare deny rule removes the tool from the request to the model, which invalidates the prompt cache. */
function coldCache(below: Tier | undefined, tier: Tier, number: number): readonly string[] {
  if (!below || below.agent !== tier.agent || below.model !== tier.model) return []
  const bare = (rules: readonly string[]) =>
    rules
      .filter(text => parseRule(text)?.scope === null)
      .toSorted()
      .join()
  if (bare(below.disallowedTools) === bare(tier.disallowedTools)) return []
  return [
    `tiers ${number - 1} and ${number} use one model, but forbid different whole tools: the prompt cache is lost between them; a tool that no rule allows need not be forbidden`,
  ]
}
