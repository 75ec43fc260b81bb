// Tool rules such as `Read`, `Bash(docker restart:*)` or `mcp__files`: which tools and which inputs each rule matches.
import { matchesGlob } from './glob.ts'

export type ToolRule = {
  readonly text: string
  readonly tool: string
  /** What is in the brackets; `null` when the rule is about every call of the tool. */
  readonly scope: string | null
}

export type ToolCall = {
  readonly name: string
  /** As JSON text, possibly cut off at its end. */
  readonly input: string
}

const RULE = /^([A-Za-z][A-Za-z0-9_.*-]{0,199})(?:\(([^\p{Cc}\p{Cs}()]{1,500})\))?$/u

/** `null` when the text cannot be read as a rule. */
export function parseRule(text: string): ToolRule | null {
  const [, tool, scope] = RULE.exec(text) ?? []
  return tool === undefined ? null : { text, tool, scope: scope ?? null }
}

export function namesTool(rule: ToolRule, name: string): boolean {
  if (rule.tool === name) return true
  if (rule.tool.startsWith('mcp__') && name.startsWith(`${rule.tool}__`)) return true
  return rule.tool.includes('*') && matchesGlob(rule.tool, name)
}

/** For rules about files or addresses; `command-rules.ts` judges rules about commands. */
export function fitsPlace(scope: string, input: string): boolean {
  const places = ['file_path', 'path', 'notebook_path', 'url'].map(key => textField(input, key))
  return places.some(place => place !== null && matchesGlob(scope, place))
}

/** The command in a call of a shell; `null`: there is none, or the input was cut off. */
export function commandOf(input: string): string | null {
  try {
    const fields: unknown = JSON.parse(input)
    if (typeof fields !== 'object' || fields === null || !('command' in fields)) return null
    return typeof fields.command === 'string' ? fields.command : null
  } catch {
    return null
  }
}

/** A text field of the input, also of one that was cut off in the middle. */
function textField(input: string, key: string): string | null {
  const found = new RegExp(`"${key}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`).exec(input)?.[1]
  if (found === undefined) return null
  try {
    return String(JSON.parse(`"${found}"`))
  } catch {
    // The input was cut in the middle of an escape. What is left still shows which file it is.
    return found
  }
}
