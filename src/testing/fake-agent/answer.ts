// How the fake agent answers: messages block by block into the stream and the session file, tool calls, errors.
import {
  ASKING_TOOL,
  type AskedCallLine,
  askPermission,
  hookDecision,
  needsPermission,
  returnResult,
} from './asking.ts'
import {
  assistantEvent,
  eventLine,
  type FakeEvent,
  type MessageHead,
  resultEvent,
  streamEvent,
  syntheticMessage,
  systemLine,
} from './events.ts'
import type { StepOf, TextPiece } from './script.ts'
import type { FileBlock } from './session-file.ts'
import { billRequest, shortModel, type TurnState, wireUsage, writeMessage } from './turn.ts'
import type { FakeOutput } from './world.ts'

export type ContentStep = StepOf<'text'> | StepOf<'thinking'> | StepOf<'tool'> | StepOf<'ask'>

/** One model request: its blocks, and the results of its calls. Returns the call at which the process has to end. */
export async function* sayMessage(
  turn: TurnState,
  steps: readonly ContentStep[],
): AsyncGenerator<FakeOutput, AskedCallLine | null> {
  const blocks = steps.map(step => ({ step, block: blockOf(turn, step) }))
  const calls = blocks.filter(({ block }) => block.type === 'tool_use')
  const stopReason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const output = steps.map(outputOf).join('')
  const ids = { id: newId(turn, 'msg'), requestId: newId(turn, 'req') }
  const usage = await billRequest(turn, output)
  turn.turns = Math.max(turn.turns, 1)
  turn.stopReason = stopReason
  yield* startMessage(turn, { ...ids, uuid: '', usage })
  for (const [index, { step, block }] of blocks.entries()) {
    const head = { ...ids, uuid: turn.world.uuid(), usage }
    yield* sayBlock(turn, { index, step, block, head })
    const message = { ...fullMessage(turn, head, block), stop_reason: stopReason }
    await writeMessage(turn, { type: 'assistant', message, requestId: ids.requestId }, head.uuid)
    if (block.type === 'text') turn.lastText = String(block.text)
  }
  yield* endMessage(turn, stopReason, wireUsage(usage))
  let parked: AskedCallLine | null = null
  for (const { step, block } of calls) {
    if (step.type === 'tool') {
      parked = await deferredCall(turn, step, block)
      if (parked === null) yield* returnCall(turn, step, block)
    }
    if (step.type === 'ask') parked = yield* askUser(turn, block)
  }
  return parked
}

/** Returns the call when a hook of the settings parks it. */
async function deferredCall(
  turn: TurnState,
  { result, appends }: StepOf<'tool'>,
  { id, name, input }: FileBlock,
): Promise<AskedCallLine | null> {
  const does = { ...(result !== undefined && { result }), ...(appends && { appends }) }
  const call = { id: String(id), name: String(name), input, does }
  const decision = await hookDecision(turn.args, turn.world, call)
  return decision?.permissionDecision === 'defer' ? call : null
}

/** Returns the call when it is parked. When the agent cannot ask anybody, it has no such tool. */
async function* askUser(
  turn: TurnState,
  block: FileBlock,
): AsyncGenerator<FakeOutput, AskedCallLine | null> {
  const call = { id: String(block.id), name: ASKING_TOOL, input: block.input }
  const decision = turn.args.asks ? await hookDecision(turn.args, turn.world, call) : null
  if (decision?.permissionDecision === 'defer') return call
  const content = `<tool_use_error>Error: No such tool available: ${ASKING_TOOL}</tool_use_error>`
  yield* returnResult(turn, { id: call.id, content, isError: true, denied: false })
  return null
}

/** Writes the agent's own assistant line and the result after an API error. Returns the exit code. */
export async function* failRequest(
  turn: TurnState,
  error: {
    readonly status: number | null
    readonly kind: string
    readonly text: string
    readonly apiType?: string
    readonly apiError?: string
    readonly terminalReason?: string
  },
): AsyncGenerator<FakeOutput, number> {
  const uuid = turn.world.uuid()
  const requestId = newId(turn, 'req')
  const message = syntheticMessage(turn, error.text)
  const named = turn.habits.namesApiErrors
    ? {
        ...(error.apiType === undefined ? {} : { api_error_type: error.apiType }),
        ...(error.apiError === undefined ? {} : { api_error: error.apiError }),
      }
    : {}
  yield eventLine({
    type: 'assistant',
    message,
    parent_tool_use_id: null,
    session_id: turn.sessionId,
    uuid,
    error: error.kind,
    request_id: requestId,
    ...named,
  })
  const persisted = { error: error.kind, isApiErrorMessage: true, apiErrorStatus: error.status }
  await writeMessage(turn, { type: 'assistant', message, requestId, ...persisted }, uuid)
  turn.turns = Math.max(turn.turns, 1)
  yield eventLine(
    resultEvent(turn, {
      is_error: true,
      api_error_status: error.status,
      result: error.text,
      stop_reason: 'stop_sequence',
      terminal_reason:
        error.terminalReason ?? (turn.habits.namesApiErrors ? 'api_error' : 'completed'),
      ...named,
    }),
  )
  return 1
}

function* startMessage(turn: TurnState, head: MessageHead): Generator<FakeOutput> {
  if (!turn.args.partialMessages) return
  yield eventLine(systemLine(turn, 'status', { status: 'requesting' }))
  const usage = wireUsage({ ...head.usage, outputTokens: 1 })
  const { id } = head
  const model = shortModel(turn.model)
  const message = { id, type: 'message', role: 'assistant', model, content: [], usage }
  yield eventLine(streamEvent(turn, { type: 'message_start', message }))
}

async function* sayBlock(
  turn: TurnState,
  {
    index,
    step,
    block,
    head,
  }: { index: number; step: ContentStep; block: FileBlock; head: MessageHead },
): AsyncGenerator<FakeOutput> {
  yield* partial(turn, { type: 'content_block_start', index, content_block: emptied(block) })
  for (const piece of piecesOf(step)) {
    if (typeof piece !== 'string') await waitWithin(turn, piece)
    else yield* partial(turn, { type: 'content_block_delta', index, delta: deltaOf(step, piece) })
  }
  yield eventLine(assistantEvent(turn, head, block))
  yield* partial(turn, { type: 'content_block_stop', index })
}

function* endMessage(turn: TurnState, stopReason: string, usage: object): Generator<FakeOutput> {
  const delta = { stop_reason: stopReason, stop_sequence: null }
  yield* partial(turn, { type: 'message_delta', delta, usage })
  yield* partial(turn, { type: 'message_stop' })
}

function* partial(turn: TurnState, event: FakeEvent): Generator<FakeOutput> {
  if (turn.args.partialMessages) yield eventLine(streamEvent(turn, event))
}

async function* returnCall(
  turn: TurnState,
  step: StepOf<'tool'>,
  block: FileBlock,
): AsyncGenerator<FakeOutput> {
  const permission = needsPermission(turn, step) ? yield* askPermission(turn, step, block) : null
  if (permission?.allowed === false) {
    const refused = {
      id: String(block.id),
      content: permission.words,
      isError: true,
      denied: false,
    }
    yield* returnResult(turn, refused)
    return
  }
  const denied = step.denied ?? turn.args.disallowedTools.includes(step.name)
  if (!denied && step.appends)
    await turn.world.files.append(step.appends.file, `${step.appends.line}\n`)
  const id = String(block.id)
  if (step.result === null) {
    turn.openCall = id
    return
  }
  const content = denied ? denialWords(turn, step) : (step.result ?? 'done')
  const isError = denied || step.isError === true
  if (step.denied === true) {
    turn.denials.push({ name: step.name, id, input: block.input })
    const fields = { tool_name: step.name, tool_use_id: id, message: content }
    if (turn.habits.reportsDenials) yield eventLine(systemLine(turn, 'permission_denied', fields))
  }
  yield* returnResult(turn, { id, content, isError, denied })
}

function denialWords(turn: TurnState, step: StepOf<'tool'>): string {
  if (step.denied !== true && turn.args.disallowedTools.includes(step.name))
    return `<tool_use_error>Error: No such tool available: ${step.name}. ${step.name} exists but is not enabled in this context.</tool_use_error>`
  return `Claude requested permissions to use ${step.name}, but you haven't granted it yet.`
}

async function waitWithin(turn: TurnState, piece: Exclude<TextPiece, string>): Promise<void> {
  if ('sleepMs' in piece) return turn.world.clock.sleep(piece.sleepMs)
  await waitForFile(turn, piece.waitForFile)
}

export async function waitForFile(turn: TurnState, path: string): Promise<void> {
  while ((await turn.world.files.stat(path)) === null) await turn.world.clock.sleep(5)
}

function blockOf(turn: TurnState, step: ContentStep): FileBlock {
  if (step.type === 'ask') {
    const input = { questions: step.questions }
    return { type: 'tool_use', id: newId(turn, 'toolu'), name: ASKING_TOOL, input }
  }
  if (step.type === 'tool')
    return { type: 'tool_use', id: newId(turn, 'toolu'), name: step.name, input: step.input ?? {} }
  const text = outputOf(step)
  if (step.type === 'text') return { type: 'text', text }
  return { type: 'thinking', thinking: text, signature: 'c2lnbmVk' }
}

function outputOf(step: ContentStep): string {
  if (step.type === 'tool') return `${step.name} ${JSON.stringify(step.input ?? {})}`
  if (step.type === 'ask') return `${ASKING_TOOL} ${JSON.stringify(step.questions)}`
  return piecesOf(step)
    .filter(piece => typeof piece === 'string')
    .join('')
}

function piecesOf(step: ContentStep): readonly TextPiece[] {
  if (step.type === 'tool') return [JSON.stringify(step.input ?? {})]
  if (step.type === 'ask') return [JSON.stringify({ questions: step.questions })]
  return typeof step.text === 'string' ? [step.text] : step.text
}

function emptied(block: FileBlock): FileBlock {
  if (block.type === 'text') return { type: 'text', text: '' }
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return { ...block, input: {} }
}

function deltaOf(step: ContentStep, piece: string): object {
  if (step.type === 'text') return { type: 'text_delta', text: piece }
  if (step.type === 'thinking') return { type: 'thinking_delta', thinking: piece }
  return { type: 'input_json_delta', partial_json: piece }
}

function fullMessage(turn: TurnState, head: MessageHead, block: FileBlock): object {
  return {
    id: head.id,
    type: 'message',
    role: 'assistant',
    model: shortModel(turn.model),
    content: [block],
    stop_sequence: null,
    usage: wireUsage(head.usage),
  }
}

function newId(turn: TurnState, prefix: 'msg' | 'req' | 'toolu'): string {
  return `${prefix}_01${turn.world.uuid().replaceAll('-', '').slice(0, 18)}`
}
