// Makes the text of a session copy whose long tool outputs are cut. Prompts, answers, calls and the pairs of call and result stay.
import type { SessionTrimming } from '../../../core/chain/carry.ts'
import { type Fields, fieldsIn, fieldsOf, parseFields, textIn } from '../../fields.ts'

export function trimSession(file: Uint8Array, { sessionId, shorten }: SessionTrimming): string {
  const lines = new TextDecoder().decode(file).split('\n').map(parseFields)
  const trimmed = lines.filter(line => line !== null).map(line => trimLine(line, shorten))
  return withoutThoughts(trimmed)
    .map(line => ('sessionId' in line ? { ...line, sessionId } : line))
    .map(line => `${JSON.stringify(line)}\n`)
    .join('')
}

/** The agent itself keeps an output of more than about 30 kB in a file, and gives its model the first 2 kB of it. */
const PREVIEW =
  /^<persisted-output>\n[^\n]{0,100} saved to: \/[^\n]{1,500}\/tool-results\/[^\n/]{1,100}\n\nPreview[^\n]{0,100}\n/
const MAX_PREVIEW_CHARS = 4_000

export function previewHead(output: string): string | null {
  if (output.length > MAX_PREVIEW_CHARS || !output.includes('</persisted-output>')) return null
  return PREVIEW.exec(output)?.[0] ?? null
}

type Shorten = SessionTrimming['shorten']

/** The agent keeps each result twice: as the model got it, and as its own record. */
function trimLine(line: Fields, shorten: Shorten): Fields {
  const message = fieldsIn(line.message)
  if (line.type !== 'user' || !message || !Array.isArray(message.content)) return line
  const isResult = fieldsOf(message.content).some(({ type }) => type === 'tool_result')
  if (!isResult) return line
  const content = message.content.map(block => trimBlock(block, shorten))
  const record = 'toolUseResult' in line && { toolUseResult: deep(line.toolUseResult, shorten) }
  return { ...line, message: { ...message, content }, ...record }
}

function trimBlock(block: unknown, shorten: Shorten): unknown {
  const fields = fieldsIn(block)
  return fields?.type === 'tool_result'
    ? { ...fields, content: trimContent(fields.content, shorten) }
    : block
}

function trimContent(content: unknown, shorten: Shorten): unknown {
  if (typeof content === 'string') return shorten(content)
  if (!Array.isArray(content)) return content
  return content.map(block => {
    const fields = fieldsIn(block)
    const text = fields?.type === 'text' ? textIn(fields.text) : null
    return text === null ? block : { ...fields, text: shorten(text) }
  })
}

function deep(value: unknown, shorten: Shorten): unknown {
  if (typeof value === 'string') return shorten(value)
  if (Array.isArray(value)) return value.map(item => deep(item, shorten))
  const fields = fieldsIn(value)
  if (!fields) return value
  return Object.fromEntries(
    Object.entries(fields).map(([name, item]) => [name, deep(item, shorten)]),
  )
}

/** Another model cannot use them, and each block of an answer is a line of its own. */
function withoutThoughts(lines: readonly Fields[]): readonly Fields[] {
  const gone = new Map<string, string | null>()
  return lines.flatMap((line): readonly Fields[] => {
    let parent = textIn(line.parentUuid)
    while (parent !== null && gone.has(parent)) parent = gone.get(parent) ?? null
    const uuid = textIn(line.uuid)
    if (isThought(line) && uuid !== null) {
      gone.set(uuid, parent)
      return []
    }
    const isMoved = 'parentUuid' in line && parent !== line.parentUuid
    return [isMoved ? { ...line, parentUuid: parent } : line]
  })
}

function isThought({ type, message }: Fields): boolean {
  const blocks = type === 'assistant' ? fieldsOf(fieldsIn(message)?.content) : []
  return blocks.length > 0 && blocks.every(block => String(block.type).endsWith('thinking'))
}
