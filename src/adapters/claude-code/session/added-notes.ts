// The notes that Claude Code adds to its session file by itself. 2.1.197 adds one about every 32 kB, a moment after an answer.
import { parseFields } from '../../fields.ts'

/** Whole lines, each a note about this last message. Anything else may be the beginning of a turn of somebody else. */
export function areNotes(added: Uint8Array, lastMessageId: string): boolean {
  const lines = new TextDecoder().decode(added).split('\n')
  if (lines.pop() !== '' || lines.length === 0) return false
  return lines.every(line => {
    const fields = parseFields(line)
    return fields?.type === 'last-prompt' && fields.leafUuid === lastMessageId
  })
}
