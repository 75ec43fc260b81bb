// Reads the conversation of a session from its own file, for a session that Reprise did not start.
import type { Files } from '../../../core/world.ts'
import type { SaidInSession, SessionPlace } from '../../adapter.ts'
import { type Fields, fieldsIn, fieldsOf, textIn } from '../../fields.ts'
import { chainIn, entriesIn, isAnswer, isPrompt } from './session-chain.ts'
import { sessionPath } from './session-path.ts'

const MAX_READ_BYTES = 64 * 1024 * 1024

export async function readConversation(
  place: SessionPlace,
  files: Files,
): Promise<readonly SaidInSession[] | null> {
  const path = await sessionPath(place, files)
  const stat = path === null ? null : await files.stat(path)
  if (path === null || stat?.kind !== 'file' || stat.sizeBytes > MAX_READ_BYTES) return null
  const bytes = await files.read(path)
  return bytes && conversationIn(new TextDecoder().decode(bytes))
}

/** The lines of one answer, with the results of its tools between them, are one entry. Exported for its tests. */
export function conversationIn(text: string): readonly SaidInSession[] {
  const said: SaidInSession[] = []
  for (const { uuid, fields } of chainIn(entriesIn(text)).toReversed()) {
    const last = said.at(-1)
    if (isPrompt(fields)) said.push({ role: 'user', text: textOf(fields), anchor: null })
    if (!isAnswer(fields)) continue
    const answer = { role: 'assistant', text: textOf(fields), anchor: uuid } as const
    if (last?.role !== 'assistant') said.push(answer)
    else said[said.length - 1] = { ...answer, text: `${last.text}\n\n${answer.text}` }
  }
  return said
}

function textOf(line: Fields): string {
  const content = fieldsIn(line.message)?.content
  if (typeof content === 'string') return content
  return fieldsOf(content)
    .flatMap(block => (block.type === 'text' ? (textIn(block.text) ?? []) : []))
    .join('\n\n')
}
