// Tool rules such as `Read`, `Bash(docker restart:*)` or `mcp__files`: which calls each of them is about.

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

/** `null` for a text that is no rule. */
export function parseRule(text: string): ToolRule | null {
  const [, tool, scope] = RULE.exec(text) ?? []
  return tool === undefined ? null : { text, tool, scope: scope ?? null }
}

export function namesTool(rule: ToolRule, name: string): boolean {
  if (rule.tool === name) return true
  if (rule.tool.startsWith('mcp__') && name.startsWith(`${rule.tool}__`)) return true
  return rule.tool.includes('*') && patternOf(rule.tool).test(name)
}

export function matches(rule: ToolRule, call: ToolCall): boolean {
  if (!namesTool(rule, call.name)) return false
  if (rule.scope === null) return true
  const { scope } = rule
  const command = fieldIn(call.input, 'command')
  if (command !== null) return commandsIn(command).some(part => commandFits(scope, part))
  const place = ['file_path', 'path', 'notebook_path', 'url'].map(key => fieldIn(call.input, key))
  return place.some(value => value !== null && patternOf(scope).test(value))
}

/** `docker restart:*` is about every command that begins so; without `:*` only about that very command. */
function commandFits(scope: string, command: string): boolean {
  if (scope.endsWith(':*')) {
    const start = scope.slice(0, -2)
    return command === start || command.startsWith(`${start} `)
  }
  return patternOf(scope).test(command)
}

/** The commands of a shell line, without what is set before them. What is quoted is not taken apart. */
export function commandsIn(line: string): readonly string[] {
  const parts: string[] = []
  let part = ''
  let quote: string | null = null
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] ?? ''
    if (sign === '\\' && quote !== "'") {
      part += sign + (line[at + 1] ?? '')
      at += 1
    } else if (quote !== null) {
      if (sign === quote) quote = null
      part += sign
    } else if (sign === "'" || sign === '"') {
      quote = sign
      part += sign
    } else if (BETWEEN_COMMANDS.has(sign)) {
      parts.push(part)
      part = ''
    } else part += sign
  }
  return [...parts, part].map(bare).filter(Boolean)
}

const BETWEEN_COMMANDS: ReadonlySet<string> = new Set([
  '&',
  '|',
  ';',
  '\n',
  '(',
  ')',
  '`',
  '{',
  '}',
])
const BEFORE_COMMANDS = /^(?:[A-Za-z_][A-Za-z0-9_]*=\S*|sudo|env|nohup|time|command|exec|\$)\s+/

function bare(command: string): string {
  let text = command.replace(/\s+/g, ' ').trim()
  while (BEFORE_COMMANDS.test(text)) text = text.replace(BEFORE_COMMANDS, '')
  return text
}

/** A text field of the input, also of one that was cut off in the middle. */
function fieldIn(input: string, key: string): string | null {
  const found = new RegExp(`"${key}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`).exec(input)?.[1]
  if (found === undefined) return null
  try {
    return String(JSON.parse(`"${found}"`))
  } catch {
    // Cut in the middle of an escape: the rest still tells which command it is.
    return found
  }
}

function patternOf(glob: string): RegExp {
  const source = glob.replace(/[\\^$.|?+()[\]{}]/g, '\\$&').replaceAll('*', '[\\s\\S]*')
  return new RegExp(`^${source}$`)
}
