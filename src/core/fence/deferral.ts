// The calls that a tier may not make and the next one may. An agent that can park a call parks these.
import { ceilingOf, type Mandate, tierOf } from '../chain/policy.ts'
import { namesTool, parseRule, type ToolRule } from './tool-rules.ts'

export type Deferral = {
  readonly tools: readonly string[]
  /** Beginnings of shell commands. */
  readonly commands: readonly string[]
}

/**
 * `null`: nothing to park. The model of a tier does not even see a tool that the tier forbids as a whole. `shells` are the
 * tools that run commands.
 */
export function deferrable(
  mandate: Mandate,
  number: number,
  shells: readonly string[],
): Deferral | null {
  const { policy, dryRun } = mandate
  if (policy.whenForbidden !== 'defer' || dryRun || number >= ceilingOf(mandate)) return null
  const [tier, next] = [tierOf(policy, number), tierOf(policy, number + 1)]
  if (tier.dryRun || next.dryRun) return null
  const forbidden = rulesOf(tier.disallowedTools)
  const allowed = rulesOf(tier.allowedTools)
  const tools = rulesOf(next.allowedTools)
    .filter(rule => rule.scope === null && /^\w+$/.test(rule.tool))
    .map(rule => rule.tool)
    .filter(tool => !allowed.some(rule => namesTool(rule, tool)))
    .filter(tool => !forbidden.some(rule => rule.scope === null && namesTool(rule, tool)))
  const commands = forbidden
    .filter(rule => !next.disallowedTools.includes(rule.text))
    .filter(rule => shells.includes(rule.tool))
    .flatMap(commandOf)
  return tools.length + commands.length > 0 ? { tools, commands } : null
}

function rulesOf(texts: readonly string[]): readonly ToolRule[] {
  return texts.flatMap(text => parseRule(text) ?? [])
}

/** Only text without special characters can be part of a pattern. */
function commandOf({ scope }: ToolRule): readonly string[] {
  const [, command] = /^([\w ./-]+):\*$/.exec(scope ?? '') ?? []
  return command === undefined ? [] : [command]
}
