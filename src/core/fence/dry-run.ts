// The rules of a dry run: those rules of a tier that cannot change anything.
import { isReadOnly, readOnlyRules } from './read-only-commands.ts'
import { literal } from './shell-line.ts'
import { namesTool, parseRule, type ToolRule } from './tool-rules.ts'

export type DryTools = {
  /** Tools that only read. */
  readonly tools: readonly string[]
  readonly aliases: readonly (readonly string[])[]
  /** Shell tools whose every call Reprise judges; none where the agent does not ask before a call. */
  readonly shells: readonly string[]
}

/** A tool that only reads stays. A shell keeps the commands that only read. Everything else is removed. */
export function dryRules(allowed: readonly string[], dry: DryTools): readonly string[] {
  return [
    ...new Set(
      allowed.flatMap(text => {
        const rule = parseRule(text)
        if (rule === null) return []
        if (dry.shells.includes(rule.tool)) return dryShellRules(rule)
        return dry.tools.some(tool => isSameTool(rule, tool, dry)) ? [text] : []
      }),
    ),
  ]
}

function isSameTool(rule: ToolRule, tool: string, { aliases }: DryTools): boolean {
  const names = aliases.find(group => group.includes(tool)) ?? [tool]
  return !rule.tool.includes('*') && names.some(name => namesTool(rule, name))
}

function dryShellRules({ text, tool, scope }: ToolRule): readonly string[] {
  if (scope === null) return readOnlyRules(tool)
  const words = scope
    .replace(/[: ]\*$/, '')
    .split(' ')
    .map(literal)
  const command = { words, sets: [], writesTo: [], hasMoreWords: false }
  return !words.some(word => word.text?.includes('*')) && isReadOnly(command) ? [text] : []
}
