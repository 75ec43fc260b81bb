// Messages of a session file name their parents. This finds the messages that a resume would continue from, and those after ours.
import { type Fields, fieldsIn, fieldsOf, parseFields, textIn } from '../../fields.ts'

/**
 * `whole`: the last message leads back to a beginning. `cut`: it leads out of the part that was read.
 * `broken`: it leads to a message that should be here and is not.
 */
export type MessageChain = 'whole' | 'cut' | 'broken'

/** A line of the main conversation, in the order of the file. */
export type Entry = {
  readonly uuid: string
  readonly parent: string | null
  readonly fields: Fields
}

export function entriesIn(text: string): readonly Entry[] {
  // To search a line is much faster than to parse it, and some are long.
  const lines = text.split('\n').filter(line => line.includes('"parentUuid"'))
  return entriesOf(lines.map(parseFields).filter(line => line !== null))
}

/** Lines of subagents form separate trees. */
export function entriesOf(lines: readonly Fields[]): readonly Entry[] {
  return lines.flatMap(fields => {
    const uuid = textIn(fields.uuid)
    if (uuid === null || fields.isSidechain === true) return []
    return [{ uuid, parent: textIn(fields.parentUuid), fields }]
  })
}

export function messageChainOf(
  entries: readonly Entry[],
  from: 'beginning' | 'middle',
): MessageChain {
  if (entries.length === 0) return 'whole'
  const last = chainIn(entries).at(-1)
  if (last?.parent === null) return 'whole'
  const isHere = entries.some(({ uuid }) => uuid === last?.parent)
  return from === 'middle' && !isHere ? 'cut' : 'broken'
}

/** A resume follows the last message of the file back to its beginning: these, the last one first. */
export function chainIn(entries: readonly Entry[]): readonly Entry[] {
  const byId = new Map(entries.map(entry => [entry.uuid, entry]))
  const chain: Entry[] = []
  // No entry is visited twice, so a circle ends.
  for (let entry = entries.at(-1); entry; ) {
    byId.delete(entry.uuid)
    chain.push(entry)
    entry = entry.parent === null ? undefined : byId.get(entry.parent)
  }
  return chain
}

/** The messages after a given one; `null` when that one is not here. */
export function messagesAfter(entries: readonly Entry[], uuid: string): number | null {
  const index = entries.findIndex(entry => entry.uuid === uuid)
  return index < 0 ? null : countMessages(entries.slice(index + 1))
}

/** How many prompts and answers these are. */
export function countMessages(entries: readonly Entry[]): number {
  const said = entries.flatMap(({ fields, uuid }) => {
    // One answer is a line per block.
    if (isAnswer(fields)) return textIn(fieldsIn(fields.message)?.id) ?? uuid
    return isPrompt(fields) ? uuid : []
  })
  return new Set(said).size
}

export function isMessage({ type }: Fields): boolean {
  return type === 'user' || type === 'assistant'
}

/** A text that the program itself wrote in place of an answer is not an answer. */
export function isAnswer(line: Fields): boolean {
  if (line.type !== 'assistant' || line.isApiErrorMessage === true) return false
  return fieldsIn(line.message)?.model !== '<synthetic>'
}

/** Whether a user wrote the line. Tool results come in the same kind of line; the program's own remarks are marked. */
export function isPrompt(line: Fields): boolean {
  if (line.type !== 'user' || line.isMeta === true) return false
  const content = fieldsIn(line.message)?.content
  return typeof content === 'string' || fieldsOf(content).some(({ type }) => type !== 'tool_result')
}
