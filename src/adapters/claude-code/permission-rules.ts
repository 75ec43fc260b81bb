// Which later calls of Claude Code "allow for this run" covers: never more than the person saw when they allowed it.

import { type PermissionRule, permissionRule } from '../../core/calls/permission-rule.ts'
import { type Fields, textIn } from '../fields.ts'
import { SHELL_TOOLS, WRITING_TOOLS } from './stream/tools.ts'

/** In rules of Claude Code as well, `Edit` stands for every tool that changes files. */
const CHANGING = 'Edit'

/** They ask something new each time. */
const ASKING_TOOLS: ReadonlySet<string> = new Set([
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
])

/**
 * `null`: the call can be allowed only once. The rules that the program itself suggests are not used: they cover every
 * command with the same beginning (`npm test:*`), which is more than the person saw.
 */
export function ruleFor(tool: string, input: Fields | null): PermissionRule | null {
  if (input === null || ASKING_TOOLS.has(tool)) return null
  if (SHELL_TOOLS.includes(tool)) return shellRule(tool, input)
  const changed = textIn(input[WRITING_TOOLS[tool] ?? ''])
  if (changed !== null) return permissionRule({ kind: 'change', tool: CHANGING, value: changed })
  const read = tool === 'Read' ? textIn(input.file_path) : null
  if (read !== null) return permissionRule({ kind: 'read', tool, value: read })
  const page = tool === 'WebFetch' ? textIn(input.url) : null
  if (page !== null) return permissionRule({ kind: 'page', tool, value: page })
  return permissionRule({ kind: 'call', tool, value: JSON.stringify(input) })
}

/** The words about a command and its time limit change from call to call. Every other option, such as no sandbox, must be the same. */
function shellRule(tool: string, input: Fields): PermissionRule {
  const { description: _, timeout: __, ...rest } = input
  const { command, ...options } = rest
  if (typeof command === 'string' && Object.keys(options).length === 0) {
    return permissionRule({ kind: 'command', tool, value: command })
  }
  return permissionRule({ kind: 'call', tool, value: JSON.stringify(rest) })
}
