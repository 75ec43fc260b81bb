// How the fake agent asks: permissions over stdin, questions parked by a hook of the settings, as Claude Code does.

import { eventLine, resultEvent, toolResultEvent } from './events.ts'
import type { Arguments } from './input/arguments.ts'
import type { StepOf } from './script.ts'
import type { ChainLine, FileBlock } from './session-file.ts'
import { type TurnState, tokensIn, writeEnd, writeMessage } from './turn.ts'
import type { AgentWorld, FakeOutput } from './world.ts'

export const ASKING_TOOL = 'AskUserQuestion'

export type AskedCallLine = {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** What the call does once it is allowed; the real program finds that out by running it. */
  readonly does?: Pick<StepOf<'tool'>, 'result' | 'appends'>
}

type HookDecision = {
  readonly permissionDecision?: 'allow' | 'deny' | 'defer'
  readonly permissionDecisionReason?: string
  readonly updatedInput?: { readonly answers?: Readonly<Record<string, string>> }
}

type Settings = {
  readonly hooks?: {
    readonly PreToolUse?: readonly {
      readonly matcher?: string
      readonly hooks: readonly { readonly command: string }[]
    }[]
  }
}

/** The shapes of commands in Reprise's settings: a file answers one call and every other call is parked … */
const COMMAND =
  /^(?:grep -qF '"(?<id>[^'"]+)"' && cat '(?<file>[^']+)' \|\| )?echo '(?<otherwise>.+)'$/
/** … or calls with these beginnings are parked. */
const CONDITION = /^if grep -qE '(?<pattern>[^']+)'; then (?<command>echo '.+'); fi$/

export async function hookDecision(
  { settings }: Arguments,
  world: Pick<AgentWorld, 'files'>,
  call: AskedCallLine,
): Promise<HookDecision | null> {
  const text = settings === null ? null : await textOf(world, settings)
  const { hooks } = JSON.parse(text ?? '{}') as Settings
  const hook = hooks?.PreToolUse?.find(({ matcher }) => matcher?.split('|').includes(call.name))
  const command = commandFor(call, hook?.hooks[0]?.command ?? '')
  const { id, file, otherwise } = COMMAND.exec(command)?.groups ?? {}
  const output = id === call.id && file ? await textOf(world, file) : otherwise
  if (!output) return null
  return (JSON.parse(output) as { hookSpecificOutput: HookDecision }).hookSpecificOutput
}

/** A hook gets the call on its stdin. */
function commandFor({ name, input }: AskedCallLine, command: string): string {
  const condition = CONDITION.exec(command)?.groups
  if (!condition) return command
  const stdin = JSON.stringify({ tool_name: name, tool_input: input })
  return new RegExp(condition.pattern ?? '').test(stdin) ? (condition.command ?? '') : ''
}

/** The call that the session waits at, unless a message follows it. */
export function parkedCallIn(chain: readonly ChainLine[]): AskedCallLine | null {
  const note = chain.at(-1)?.attachment as
    | {
        type?: string
        toolUseID?: string
        toolName?: string
        toolInput?: unknown
        does?: AskedCallLine['does']
      }
    | undefined
  if (note?.type !== 'hook_deferred_tool') return null
  const call = { id: note.toolUseID ?? '', name: note.toolName ?? '', input: note.toolInput }
  return note.does ? { ...call, does: note.does } : call
}

/** The process ends with a result that names the call. */
export async function* park(
  turn: TurnState,
  call: AskedCallLine,
): AsyncGenerator<FakeOutput, number> {
  const { does, ...deferred } = call
  const { id: toolUseID, name: toolName, input: toolInput } = deferred
  const attachment = { type: 'hook_deferred_tool', toolUseID, toolName, toolInput, does }
  await writeMessage(turn, { type: 'attachment', attachment })
  const how = { stop_reason: 'tool_deferred', terminal_reason: 'tool_deferred', result: '' }
  yield eventLine(resultEvent(turn, { ...how, deferred_tool_use: deferred }))
  await writeEnd(turn)
  return 0
}

/** The answer to the parked call; empty when it stays parked. */
export async function parkedAnswerText(
  args: Arguments,
  world: AgentWorld,
  call: AskedCallLine,
): Promise<string> {
  const decision = await hookDecision(args, world, call)
  return decision === null || decision.permissionDecision === 'defer' ? '' : wordsOf(decision)
}

function wordsOf(decision: HookDecision): string {
  if (decision.permissionDecision === 'deny') return decision.permissionDecisionReason ?? 'denied'
  return answersWords(decision.updatedInput?.answers ?? {})
}

/** Continues with the parked call; returns the text of its result. */
export async function* answerParked(
  turn: TurnState,
  { call, decision }: { call: AskedCallLine; decision: HookDecision },
): AsyncGenerator<FakeOutput, string> {
  const isError = decision.permissionDecision === 'deny'
  const content = wordsOf(decision)
  yield* returnResult(turn, { id: call.id, content, isError, denied: false })
  await writeGoingOn(turn)
  return content
}

/** The message that the program itself sends to its model after a parked call. */
export async function writeGoingOn(turn: TurnState): Promise<void> {
  const message = { role: 'user', content: 'Continue from where you left off.' }
  await writeMessage(turn, { type: 'user', message, isMeta: true })
}

function answersWords(answers: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(answers).map(([question, answer]) => `"${question}"="${answer}"`)
  return `Your questions have been answered: ${pairs.join(', ')}. You can now continue with these answers in mind.`
}

export type Permission = { readonly allowed: boolean; readonly words: string }

/** Asks over stdout and waits on stdin. The end of the input is a refusal, and so is nobody to ask. */
export async function* askPermission(
  turn: TurnState,
  step: StepOf<'tool'>,
  block: FileBlock,
): AsyncGenerator<FakeOutput, Permission> {
  if (!turn.args.asks) return { allowed: false, words: 'This command requires approval' }
  const requestId = turn.world.uuid()
  const request = {
    subtype: 'can_use_tool',
    tool_name: step.name,
    display_name: step.name,
    input: block.input,
    permission_suggestions: [],
    tool_use_id: block.id,
  }
  yield eventLine({ type: 'control_request', request_id: requestId, request })
  for (;;) {
    const line = await turn.world.nextLine()
    if (line === null) {
      const words = 'Tool permission request failed: Error: Tool permission stream closed'
      return { allowed: false, words }
    }
    const { response } = JSON.parse(line) as ControlResponse
    if (response?.request_id !== requestId) continue
    const { behavior, message } = response.response ?? {}
    return { allowed: behavior === 'allow', words: message ?? 'denied' }
  }
}

type ControlResponse = {
  readonly response?: {
    readonly request_id?: string
    readonly response?: { readonly behavior?: string; readonly message?: string }
  }
}

export function needsPermission({ args }: TurnState, step: StepOf<'tool'>): boolean {
  if (step.asks !== true) return false
  return !args.allowedTools.includes(step.name) && args.permissionMode === 'default'
}

export async function* returnResult(
  turn: TurnState,
  result: {
    readonly id: string
    readonly content: string
    readonly isError: boolean
    readonly denied: boolean
  },
): AsyncGenerator<FakeOutput> {
  const { id, content, isError } = result
  turn.newTokens += tokensIn(content)
  turn.turns += 1
  const block = { type: 'tool_result', tool_use_id: id, content, is_error: isError }
  const message = { role: 'user', content: [block] }
  const uuid = await writeMessage(turn, { type: 'user', message })
  yield eventLine(toolResultEvent(turn, { uuid, ...result }))
}

async function textOf({ files }: Pick<AgentWorld, 'files'>, path: string): Promise<string | null> {
  const bytes = await files.read(path)
  return bytes === null ? null : new TextDecoder().decode(bytes)
}
