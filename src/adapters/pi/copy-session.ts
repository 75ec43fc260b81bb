// Makes the text of a session file under another id, for another machine: the conversation, and nothing that rules the program.
import { type Fields, fieldsIn, parseFields, textIn } from '../fields.ts'

/** The system prompt, the models and the settings of the other machine stay there; pi adds its own. */
const ROLES = new Set(['user', 'assistant', 'toolResult'])

/** An empty text: the file does not begin as a session of pi. */
export function copySession(
  file: Uint8Array,
  { sessionId, workDir }: { readonly sessionId: string; readonly workDir: string },
): string {
  const lines = new TextDecoder()
    .decode(file)
    .split('\n')
    .map(parseFields)
    .filter(line => line !== null)
  const [header, ...entries] = lines
  if (header?.type !== 'session') return ''
  const { type, version, timestamp } = header
  const begins = { type, version, id: sessionId, timestamp, cwd: workDir }
  return [begins, ...linked(entries)].map(line => `${JSON.stringify(line)}\n`).join('')
}

/** An entry follows the last one before it that is kept. */
function linked(entries: readonly Fields[]): readonly Fields[] {
  const parents = new Map(entries.map(({ id, parentId }) => [textIn(id), textIn(parentId)]))
  const kept = new Set(entries.filter(isSaid).map(({ id }) => textIn(id)))
  return entries.filter(isSaid).map(entry => {
    let parentId = textIn(entry.parentId)
    for (let steps = 0; parentId !== null && !kept.has(parentId); steps += 1) {
      parentId = steps > parents.size ? null : (parents.get(parentId) ?? null)
    }
    return { ...entry, parentId }
  })
}

function isSaid({ type, id, message }: Fields): boolean {
  const role = textIn(fieldsIn(message)?.role) ?? ''
  return type === 'message' && textIn(id) !== null && ROLES.has(role)
}
