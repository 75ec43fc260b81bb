// Tool calls and their results, and which of the calls never ran.

import { OUTCOME_UNKNOWN } from '../../../core/conversation/interruption.ts'
import type { AgentEvent } from '../../../core/run/events.ts'
import { cutText } from '../../../core/secrets/cut-text.ts'
import { type Fields, fieldsIn, fieldsOf, textIn } from '../../fields.ts'
import { GUARD_DENIAL } from '../guard.ts'

const MAX_INPUT_CHARS = 16_000
const MAX_RESULT_CHARS = 16_000

/**
 * The texts of refusals, for versions where only the text shows a refusal. They are anchored at the start, because the
 * failure of a tool that ran begins differently (`Exit code 1 …`).
 */
const DENIALS: readonly RegExp[] = [
  /^Claude requested permissions to [^\n]{1,2000} but you haven't granted it yet\./,
  /^This command requires approval/,
  /^Permission to use [A-Za-z]\w{0,200}( with command [\s\S]{0,4000})? has been denied/,
  /^(\S{1,100} in|Output redirection to) '[^\n]{1,4000}' (was blocked\. For security|needs approval\.)/,
  /^<tool_use_error>Error: No such tool available: /,
  GUARD_DENIAL,
  // Nobody answered the guard: on 2.1.325 a subagent can outlive the result, and then our input is closed.
  /^The user doesn't want to take this action right now\./,
  /^PreToolUse hook did not respond before its timeout /,
]

/**
 * The check of an input comes before the hook and before permissions: a wrong type, a file that was not read yet. The other
 * texts in this wrapper are of calls that may have run. Tools that ran put something else first (`Exit code 1 …`).
 */
const REJECTED_INPUT = /^<tool_use_error>(?!Error calling tool|Error: Streaming fallback|Cancelled)/

/** The result of every call that was running when the program was interrupted; the call may have done its work. */
const ABORTED = /^The user doesn't want to proceed with this tool use\. The tool use was rejected /

/** The tool with which the agent gives an answer for a schema; the result holds that answer. */
const ANSWER_TOOL = 'StructuredOutput'

/** To-do lists, questions to the user, lists of what exists. */
export const HARMLESS_TOOLS: readonly string[] = [
  ANSWER_TOOL,
  ...['TodoWrite', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'TaskOutput', 'TaskStop'],
  ...['BashOutput', 'KillShell', 'CronList', 'ListAgents', 'ToolSearch', 'ReportFindings'],
  ...['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'],
]

/** One tool under several names: the API offers `Agent` where rules and the list of tools say `Task`. */
export const TOOL_ALIASES: readonly (readonly string[])[] = [
  ['Task', 'Agent'],
  ['TaskOutput', 'BashOutput', 'AgentOutput', 'BashOutputTool', 'AgentOutputTool'],
  ['TaskStop', 'KillShell', 'KillBash'],
  ['ListMcpResources', 'ListMcpResourcesTool'],
  ['ReadMcpResource', 'ReadMcpResourceTool'],
  ['Workflow', 'RunWorkflow'],
]

export const SHELL_TOOLS: readonly string[] = ['Bash', 'Monitor']

export const WRITING_TOOLS: Readonly<Record<string, string>> = {
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
}

/** Subagents may do no more than the conversation that started them: the same fence judges their calls. */
export const LOOKING_TOOLS: readonly string[] = ['Read', 'Grep', 'Glob', 'LS', 'Task', 'WebSearch']

/** Run by 2.1.197 and 2.1.325 in mode dontAsk although no rule allowed them; Monitor by its description. */
export const UNASKED_TOOLS: readonly string[] = [
  ...['CronCreate', 'CronDelete', 'ScheduleWakeup', 'SendMessage', 'Skill', 'Workflow'],
  ...['EnterWorktree', 'ExitWorktree', 'Monitor', 'Task'],
]

/** An answer in the form of a call does not count as a call, because nothing runs. */
export function isAnswerTool(block: Fields): boolean {
  return block.type === 'tool_use' && block.name === ANSWER_TOOL
}

export function toolInput(block: Fields): string {
  try {
    return cutText(JSON.stringify(block.input) ?? '', MAX_INPUT_CHARS)
  } catch {
    // The input is nested too deeply to serialise. It still counts that the tool was called.
    return ''
  }
}

/** The results in a `user` event. `denied` holds the calls whose refusal was reported by an event of its own. */
export function toolResults(
  event: Fields,
  blocks: readonly Fields[],
  denied: ReadonlySet<string>,
): readonly AgentEvent[] {
  const verdicts = fieldsOf(event.tool_result_meta)
  return blocks
    .filter(block => block.type === 'tool_result')
    .flatMap(block => {
      const id = textIn(block.tool_use_id)
      if (id === null) return []
      const text = resultText(block.content)
      const isError = block.is_error === true
      const verdict = verdicts.find(({ id: of }) => of === id)
      const outcomeUnknown = isError && wasAborted(text)
      const isDenied = !outcomeUnknown && (denied.has(id) || (isError && wasRefused(verdict, text)))
      return [
        {
          type: 'tool-result' as const,
          id,
          isError,
          denied: isDenied,
          ...(outcomeUnknown && { outcomeUnknown }),
          text: outcomeUnknown ? OUTCOME_UNKNOWN : cutText(text, MAX_RESULT_CHARS),
        },
      ]
    })
}

/** Text of a result, whether it is a string or a list of blocks. */
export function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  return fieldsOf(content)
    .map(block => textIn(block.text) ?? `[${textIn(block.type) ?? 'block'}]`)
    .join('\n')
}

/** In print mode no user is there who could reject a call, so such a text means that the call was stopped. */
export function wasAborted(text: string): boolean {
  return ABORTED.test(text)
}

export function looksDenied(text: string): boolean {
  return DENIALS.some(shape => shape.test(text))
}

/** The call never ran: the program rejected its input before it asked anybody. */
export function looksUnasked(text: string): boolean {
  return REJECTED_INPUT.test(text)
}

/** Newer versions say what was decided; the text does not count then. */
function wasRefused(verdict: Fields | undefined, text: string): boolean {
  const decision = textIn(fieldsIn(verdict?.permission_decision)?.decision)
  return decision === null ? looksDenied(text) : decision === 'reject'
}
