// Questions of Claude Code. It asks for permissions over stdout and stdin. It parks other questions until the session is resumed.

import type { Answer, AskedCall, QuestionItem } from '../../core/conversation/question.ts'
import type { Deferral } from '../../core/fence/deferral.ts'
import type { QuestionEvent } from '../../core/run/events.ts'
import { RepriseError } from '../../errors.ts'
import type { AgentParking } from '../agent-parking.ts'
import { type Fields, fieldsIn, fieldsOf, parseFields, textIn } from '../fields.ts'
import { ruleFor } from './permission-rules.ts'

const ASKING_TOOL = 'AskUserQuestion'
const CALL_ID = /^[A-Za-z0-9_-]{1,200}$/
const PATH = /^\/[^\p{Cc}\p{Cs}']{1,4000}$/u

/** The tools that only ask exist in print mode only with this. */
export const ASK_ARGS = ['--permission-prompt-tool', 'stdio'] as const

/** `control_request`: somebody must allow or deny a call, over stdin, while the process waits. */
export function permissionAsked(event: Fields): readonly QuestionEvent[] | null {
  const request = fieldsIn(event.request)
  if (request?.subtype !== 'can_use_tool') return null
  const requestId = textIn(event.request_id)
  const call = askedCall({
    id: request.tool_use_id,
    name: request.tool_name,
    input: request.input,
  })
  if (call === null || requestId === null) return null
  const rule = ruleFor(call.tool, fieldsIn(request.input))
  return [{ type: 'question', ...call, ...(rule && { rule }), requestId }]
}

/** The call that a process parked before it ended, from its result or its session file. */
export function parkedCall(deferred: Fields | null): QuestionEvent | null {
  const call = deferred && askedCall(deferred)
  return call && { type: 'question', ...call, requestId: null }
}

function askedCall({ id, name, input }: Fields): AskedCall | null {
  const [toolUseId, tool] = [textIn(id), textIn(name)]
  if (toolUseId === null || tool === null || !CALL_ID.test(toolUseId)) return null
  const items = tool === ASKING_TOOL ? itemsIn(fieldsIn(input)) : []
  return {
    toolUseId,
    kind: items.length > 0 ? 'question' : 'permission',
    tool,
    input: JSON.stringify(input ?? {}),
    items,
  }
}

function itemsIn(input: Fields | null): readonly QuestionItem[] {
  return fieldsOf(input?.questions).flatMap(item => {
    const question = textIn(item.question)
    if (question === null) return []
    const options = fieldsOf(item.options).map(option => ({
      label: textIn(option.label) ?? '',
      description: textIn(option.description) ?? '',
    }))
    const header = textIn(item.header) ?? ''
    return { question, header, options, multiSelect: item.multiSelect === true }
  })
}

/** The line for stdin that answers a `control_request`. `input` is the call's, as it was asked. */
export function answerLine(asked: QuestionEvent, answer: Answer): string {
  return `${JSON.stringify({
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id: asked.requestId,
      response:
        answer.kind === 'deny'
          ? { behavior: 'deny', message: answer.message, interrupt: false }
          : { behavior: 'allow', updatedInput: answeredInput(asked, answer) },
    },
  })}\n`
}

/** What the hook prints when the parked call is made again. */
export function parkedAnswer(asked: AskedCall, answer: Answer): string {
  return hookOutput(
    answer.kind === 'deny'
      ? { permissionDecision: 'deny', permissionDecisionReason: answer.message }
      : { permissionDecision: 'allow', updatedInput: answeredInput(asked, answer) },
  )
}

function answeredInput(asked: AskedCall, answer: Answer): object {
  const input = parseFields(asked.input) ?? { questions: asked.items }
  return answer.kind === 'choices' ? { ...input, answers: answer.choices } : input
}

/**
 * Settings whose hook parks every question, except the named one, which the content of a file answers. The hook's
 * command holds only ids and paths without special characters of the shell.
 */
export function parkingSettings(
  reply: { readonly toolUseId: string; readonly file: string } | null,
): string {
  const park = `echo '${hookOutput({ permissionDecision: 'defer' })}'`
  const command = reply
    ? `grep -qF ${quotedId(reply.toolUseId)} && cat ${quoted(reply.file, PATH)} || ${park}`
    : park
  const hooks = [{ type: 'command', command }]
  return settingsWith([{ matcher: ASKING_TOOL, hooks }])
}

/** Settings files whose hooks park calls. The answer to a parked call is in a file that its hook prints. */
export const parkFiles: AgentParking['files'] = async ({ questions, deferral }, keep) => {
  const reply = questions?.reply
  const answered = reply && {
    toolUseId: reply.asked.toolUseId,
    file: await keep(parkedAnswer(reply.asked, reply.answer)),
  }
  return {
    ...(questions && { questions: await keep(parkingSettings(answered ?? null)) }),
    ...(deferral && { deferral: await keep(deferralSettings(deferral)) }),
  }
}

/**
 * Settings whose hooks park the calls of these tools and the commands with these beginnings. A hook that parks wins
 * over scoped deny rules and modes that refuse, but not over a tool that was removed (2.1.197 and 2.1.325).
 */
export function deferralSettings({ tools, commands }: Deferral): string {
  const park = `echo '${hookOutput({ permissionDecision: 'defer' })}'`
  const begins = commands.map(command => quotedPart(command)).join('|')
  const isOne = `grep -qE '"command": *"([^"]*[;&|] *)?(sudo )?(${begins})([ "\\\\]|$)'`
  const hook = (matcher: string, command: string) => ({
    matcher,
    hooks: [{ type: 'command', command }],
  })
  const PreToolUse = [
    ...(tools.length > 0 ? [hook(tools.map(quotedPart).join('|'), park)] : []),
    ...(commands.length > 0 ? [hook('Bash', `if ${isOne}; then ${park}; fi`)] : []),
  ]
  return settingsWith(PreToolUse)
}

/** A project that switches all hooks off (`disableAllHooks`) would switch ours off as well. */
function settingsWith(PreToolUse: readonly object[]): string {
  return JSON.stringify({ disableAllHooks: false, hooks: { PreToolUse } })
}

/** No special characters of the shell; a dot is escaped. */
function quotedPart(text: string): string {
  return quoted(text, /^[\w ./-]{1,200}$/)
    .slice(1, -1)
    .replaceAll('.', '[.]')
}

function hookOutput(decision: object): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } })
}

/** The id with its JSON quotes, so that it does not match a longer id. */
function quotedId(toolUseId: string): string {
  return `'"${quoted(toolUseId, CALL_ID).slice(1, -1)}"'`
}

function quoted(text: string, pattern: RegExp): string {
  if (pattern.test(text)) return `'${text}'`
  const what = `${JSON.stringify(text.slice(0, 100))} cannot stand in a hook of Claude Code`
  throw new RepriseError(
    'bad-input',
    what,
    'Set REPRISE_HOME, or `dataDir` of createReprise(), to another directory.',
  )
}
