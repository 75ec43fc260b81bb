// What a run added to the file of its session: read from the mark on, counted from our own prompt on.

import type { ToolUse } from '../../../core/conversation/messages.ts'
import type { QuestionEvent, Usage } from '../../../core/run/events.ts'
import type { Files } from '../../../core/world.ts'
import {
  NOTHING_GREW,
  type Sent,
  type SessionGrowth,
  type SessionMark,
  type SessionPlace,
} from '../../adapter.ts'
import { type Fields, fieldsIn, fieldsOf, parseFields, textIn } from '../../fields.ts'
import { parkedCall } from '../questions.ts'
import { isAnswerTool, resultText, toolInput, wasAborted } from '../stream/tools.ts'
import { usageIn } from '../stream/usage.ts'
import { chainIn, countMessages, entriesOf, isAnswer, isMessage } from './session-chain.ts'
import { sessionPath } from './session-path.ts'

const MAX_READ_BYTES = 64 * 1024 * 1024

const ENDED = new Set(['end_turn', 'stop_sequence'])

export async function readGrowth(
  place: SessionPlace,
  { mark, sent }: { mark: SessionMark; sent: Sent },
  files: Files,
): Promise<SessionGrowth> {
  const path = mark.path ?? (await sessionPath(place, files))
  const stat = path === null ? null : await files.stat(path)
  if (path === null || stat?.kind !== 'file' || stat.sizeBytes <= mark.sizeBytes)
    return NOTHING_GREW
  const from = Math.max(mark.sizeBytes, stat.sizeBytes - MAX_READ_BYTES)
  const bytes = await files.read(path, from, stat.sizeBytes)
  if (!bytes) return NOTHING_GREW
  const parsed = new TextDecoder().decode(bytes).split('\n').map(parseFields)
  const lines = parsed.filter(line => line !== null)
  const growth = growthIn(lines, sent)
  // Without a mark the file is new: messages that a fork copied into it belong to no turn.
  return mark.sizeBytes === 0 ? growth : { ...growth, foreignBefore: foreignBefore(lines, sent) }
}

/** Exported for its tests. */
function growthIn(lines: readonly Fields[], sent: Sent): SessionGrowth {
  const start = startOf(lines, sent)
  const prompt = lines[start]
  if (!prompt) return { ...NOTHING_GREW, grew: lines.length > 0 }
  const main = ownLines(prompt, lines.slice(start + 1))
  const answers = main.filter(isAnswer)
  const tools = toolsIn(answers, main)
  const dangling = tools.filter(tool => tool.result === null).length
  const last = fieldsIn(answers.at(-1)?.message)
  return {
    grew: true,
    holdsPrompt: true,
    foreignBefore: 0,
    anchors: answers.map(line => textIn(line.uuid)).filter(uuid => uuid !== null),
    end: textIn([prompt, ...main].findLast(isMessage)?.uuid),
    text: textOf(answers),
    tools,
    complete: ENDED.has(textIn(last?.stop_reason) ?? '') && dangling === 0,
    danglingTools: dangling,
    parked: parkedIn(main, tools),
    requests: requestsIn(answers),
  }
}

/** Messages between the mark and our prompt that a prompt of somebody else began and that our prompt follows. */
function foreignBefore(lines: readonly Fields[], sent: Sent): number {
  const start = startOf(lines, sent)
  const prompt = lines[start]
  const parent = textIn(prompt?.parentUuid)
  if (!prompt || parent === null) return 0
  const before = entriesOf(lines.slice(0, start))
  const last = before.findIndex(({ uuid }) => uuid === parent)
  const chain = chainIn(before.slice(0, last + 1))
  const first = chain.findLastIndex(({ fields }) => isOtherPrompt(fields, prompt))
  return countMessages(chain.slice(0, first + 1))
}

function startOf(lines: readonly Fields[], sent: Sent): number {
  return 'prompt' in sent ? promptIndex(lines, sent.prompt) : answerIndex(lines, sent.answerTo)
}

/** Without the lines of subagents, and of others who continued the same session during our run. */
function ownLines(prompt: Fields, after: readonly Fields[]): readonly Fields[] {
  const foreign = new Set<string>()
  return after.filter(line => {
    if (line.isSidechain === true) return false
    const isForeign = isOtherPrompt(line, prompt) || foreign.has(textIn(line.parentUuid) ?? '')
    const uuid = textIn(line.uuid)
    if (isForeign && uuid !== null) foreign.add(uuid)
    return !isForeign
  })
}

/** A prompt has a source and an id. A line of the program for itself has an origin, or is marked as a remark. */
function isOtherPrompt(line: Fields, prompt: Fields): boolean {
  if (line.type !== 'user' || line.isMeta === true || fieldsIn(line.origin)) return false
  return textIn(line.promptSource) !== null && line.promptId !== prompt.promptId
}

/**
 * A fork's file begins with a copy of the parent's history, which may hold the same prompt. The copied lines keep
 * their times, and all of them are before the moment when this run queued its own prompt.
 */
function promptIndex(lines: readonly Fields[], prompt: string): number {
  const queued = lines.find(line => line.type === 'queue-operation' && line.operation === 'enqueue')
  const since = textIn(queued?.timestamp) ?? ''
  const wanted = prompt.toWellFormed()
  return lines.findLastIndex(
    line =>
      line.type === 'user' &&
      line.isSidechain !== true &&
      (textIn(line.timestamp) ?? since) >= since &&
      promptTexts(line).some(text => text.toWellFormed().includes(wanted)),
  )
}

function answerIndex(lines: readonly Fields[], toolUseId: string): number {
  return lines.findIndex(
    line => line.type === 'user' && blocksOf(line).some(block => block.tool_use_id === toolUseId),
  )
}

/** The file notes parked calls; a call with a result is no longer parked. */
function parkedIn(main: readonly Fields[], tools: readonly ToolUse[]): QuestionEvent | null {
  const note = main
    .map(line => fieldsIn(line.attachment))
    .findLast(attachment => attachment?.type === 'hook_deferred_tool')
  const isOpen = tools.some(tool => tool.id === note?.toolUseID && tool.result === null)
  if (!note || !isOpen) return null
  return parkedCall({ id: note.toolUseID, name: note.toolName, input: note.toolInput })
}

function promptTexts(line: Fields): readonly string[] {
  const content = fieldsIn(line.message)?.content
  if (typeof content === 'string') return [content]
  return fieldsOf(content).flatMap(block =>
    block.type === 'text' ? (textIn(block.text) ?? []) : [],
  )
}

/** Joins the blocks in order; a new paragraph begins after a tool call, as in the stream. */
function textOf(answers: readonly Fields[]): string {
  let text = ''
  let paragraphEnded = false
  for (const block of answers.flatMap(blocksOf)) {
    if (block.type === 'tool_use') paragraphEnded = true
    if (block.type !== 'text' || !block.text) continue
    text += (paragraphEnded && text ? '\n\n' : '') + (textIn(block.text) ?? '')
    paragraphEnded = false
  }
  return text
}

function toolsIn(answers: readonly Fields[], main: readonly Fields[]): readonly ToolUse[] {
  const results = new Map(
    main
      .filter(line => line.type === 'user')
      .flatMap(blocksOf)
      .filter(block => block.type === 'tool_result')
      .map(block => [block.tool_use_id, block]),
  )
  return answers.flatMap(blocksOf).flatMap(block => {
    const [id, name] = [textIn(block.id), textIn(block.name)]
    if (block.type !== 'tool_use' || id === null || name === null) return []
    if (isAnswerTool(block)) return []
    const result = results.get(id)
    const text = result ? resultText(result.content) : null
    const isError = result?.is_error === true
    const isKnown = text !== null && !(isError && wasAborted(text))
    const ended = isKnown ? { result: text, isError } : { result: null, isError: false }
    return { id, name, input: toolInput(block), ...ended }
  })
}

/** Each block has a line with the final usage of its message, so a message counts once. */
function requestsIn(answers: readonly Fields[]): SessionGrowth['requests'] {
  const requests = new Map<string, { model: string; usage: Usage }>()
  for (const line of answers) {
    const message = fieldsIn(line.message)
    const [id, model] = [textIn(message?.id), textIn(message?.model)]
    if (id !== null && model !== null) requests.set(id, { model, usage: usageIn(message?.usage) })
  }
  return [...requests].map(([requestId, request]) => ({ requestId, ...request, main: true }))
}

function blocksOf(line: Fields): readonly Fields[] {
  return fieldsOf(fieldsIn(line.message)?.content)
}
