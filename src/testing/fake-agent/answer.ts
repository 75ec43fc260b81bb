// How the fake agent answers: messages block by block into the stream and the session file, tool calls, errors.
import {
  assistantEvent,
  type Event,
  eventLine,
  type MessageHead,
  resultEvent,
  streamEvent,
  syntheticMessage,
  systemEvent,
  toolResultEvent,
} from './events.ts'
import type { StepOf, TextPiece } from './script.ts'
import type { Block } from './session-file.ts'
import { billRequest, shortModel, type Turn, tokensIn, wireUsage, writeMessage } from './turn.ts'
import type { Output } from './world.ts'

export type ContentStep = StepOf<'text'> | StepOf<'thinking'> | StepOf<'tool'>

/** One model request: its blocks, and the results of the calls in it. */
export async function* sayMessage(
  turn: Turn,
  steps: readonly ContentStep[],
): AsyncGenerator<Output> {
  const blocks = steps.map(step => ({ step, block: blockOf(turn, step) }))
  const calls = blocks.filter(({ step }) => step.type === 'tool')
  const stopReason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const output = steps.map(outputOf).join('')
  const ids = { id: newId(turn, 'msg'), requestId: newId(turn, 'req') }
  const usage = billRequest(turn, output)
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
  for (const { step, block } of calls)
    if (step.type === 'tool') yield* returnCall(turn, step, block)
}

/** An assistant line of the agent's own and the result that follows an API error. Gives the exit code. */
export async function* failRequest(
  turn: Turn,
  error: {
    readonly status: number | null
    readonly kind: string
    readonly text: string
    readonly apiType?: string
    readonly apiError?: string
  },
): AsyncGenerator<Output, number> {
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
      terminal_reason: turn.habits.namesApiErrors ? 'api_error' : 'completed',
      ...named,
    }),
  )
  return 1
}

function* startMessage(turn: Turn, head: MessageHead): Generator<Output> {
  if (!turn.args.partialMessages) return
  yield eventLine(systemEvent(turn, 'status', { status: 'requesting' }))
  const usage = wireUsage({ ...head.usage, outputTokens: 1 })
  const { id } = head
  const model = shortModel(turn.model)
  const message = { id, type: 'message', role: 'assistant', model, content: [], usage }
  yield eventLine(streamEvent(turn, { type: 'message_start', message }))
}

async function* sayBlock(
  turn: Turn,
  {
    index,
    step,
    block,
    head,
  }: { index: number; step: ContentStep; block: Block; head: MessageHead },
): AsyncGenerator<Output> {
  yield* partial(turn, { type: 'content_block_start', index, content_block: emptied(block) })
  for (const piece of piecesOf(step)) {
    if (typeof piece !== 'string') await waitWithin(turn, piece)
    else yield* partial(turn, { type: 'content_block_delta', index, delta: deltaOf(step, piece) })
  }
  yield eventLine(assistantEvent(turn, head, block))
  yield* partial(turn, { type: 'content_block_stop', index })
}

function* endMessage(turn: Turn, stopReason: string, usage: object): Generator<Output> {
  const delta = { stop_reason: stopReason, stop_sequence: null }
  yield* partial(turn, { type: 'message_delta', delta, usage })
  yield* partial(turn, { type: 'message_stop' })
}

function* partial(turn: Turn, event: Event): Generator<Output> {
  if (turn.args.partialMessages) yield eventLine(streamEvent(turn, event))
}

async function* returnCall(turn: Turn, step: StepOf<'tool'>, block: Block): AsyncGenerator<Output> {
  if (step.result === null) return
  const denied = step.denied === true || turn.args.disallowedTools.includes(step.name)
  const id = String(block.id)
  const content = denied ? denialWords(turn, step) : (step.result ?? 'done')
  const isError = denied || step.isError === true
  if (step.denied === true) {
    turn.denials.push({ name: step.name, id, input: block.input })
    const fields = { tool_name: step.name, tool_use_id: id, message: content }
    if (turn.habits.reportsDenials) yield eventLine(systemEvent(turn, 'permission_denied', fields))
  }
  turn.newTokens += tokensIn(content)
  turn.turns += 1
  const result = { type: 'tool_result', tool_use_id: id, content, is_error: isError }
  const message = { role: 'user', content: [result] }
  const uuid = await writeMessage(turn, { type: 'user', message })
  yield eventLine(toolResultEvent(turn, { uuid, id, content, isError, denied }))
}

function denialWords(turn: Turn, step: StepOf<'tool'>): string {
  if (step.denied !== true && turn.args.disallowedTools.includes(step.name))
    return `<tool_use_error>Error: No such tool available: ${step.name}. ${step.name} exists but is not enabled in this context.</tool_use_error>`
  return `Claude requested permissions to use ${step.name}, but you haven't granted it yet.`
}

async function waitWithin(turn: Turn, piece: Exclude<TextPiece, string>): Promise<void> {
  if ('sleepMs' in piece) return turn.world.clock.sleep(piece.sleepMs)
  await waitForFile(turn, piece.waitForFile)
}

export async function waitForFile(turn: Turn, path: string): Promise<void> {
  while ((await turn.world.files.stat(path)) === null) await turn.world.clock.sleep(5)
}

function blockOf(turn: Turn, step: ContentStep): Block {
  if (step.type === 'tool')
    return { type: 'tool_use', id: newId(turn, 'toolu'), name: step.name, input: step.input ?? {} }
  const text = outputOf(step)
  if (step.type === 'text') return { type: 'text', text }
  return { type: 'thinking', thinking: text, signature: 'c2lnbmVk' }
}

function outputOf(step: ContentStep): string {
  if (step.type === 'tool') return `${step.name} ${JSON.stringify(step.input ?? {})}`
  return piecesOf(step)
    .filter(piece => typeof piece === 'string')
    .join('')
}

function piecesOf(step: ContentStep): readonly TextPiece[] {
  if (step.type === 'tool') return [JSON.stringify(step.input ?? {})]
  return typeof step.text === 'string' ? [step.text] : step.text
}

function emptied(block: Block): Block {
  if (block.type === 'text') return { type: 'text', text: '' }
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return { ...block, input: {} }
}

function deltaOf(step: ContentStep, piece: string): object {
  if (step.type === 'text') return { type: 'text_delta', text: piece }
  if (step.type === 'thinking') return { type: 'thinking_delta', thinking: piece }
  return { type: 'input_json_delta', partial_json: piece }
}

function fullMessage(turn: Turn, head: MessageHead, block: Block): object {
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

function newId(turn: Turn, prefix: 'msg' | 'req' | 'toolu'): string {
  return `${prefix}_01${turn.world.uuid().replaceAll('-', '').slice(0, 18)}`
}
