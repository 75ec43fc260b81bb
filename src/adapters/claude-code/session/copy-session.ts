// Makes the text of a session file under another id, for another machine: the conversation, and none of the program's own records.
import { type Fields, parseFields, textIn } from '../../fields.ts'

/**
 * The program keeps more in the file than what was said: requests with tools and system prompt, titles, modes. A file of somebody else
 * brings none of that. Its summaries and its total cost belong to the conversation.
 */
const RECORDS = new Set(['summary', 'cost-state'])

export function copySession(
  file: Uint8Array,
  { sessionId }: { readonly sessionId: string },
): string {
  return new TextDecoder()
    .decode(file)
    .split('\n')
    .map(parseFields)
    .filter(line => line !== null)
    .filter(isKept)
    .map(line => `${JSON.stringify('sessionId' in line ? { ...line, sessionId } : line)}\n`)
    .join('')
}

/** Lines of subagents form separate trees, which nobody resumes. */
function isKept(line: Fields): boolean {
  const isMessage = textIn(line.uuid) !== null && 'parentUuid' in line && line.isSidechain !== true
  return isMessage || RECORDS.has(textIn(line.type) ?? '')
}
