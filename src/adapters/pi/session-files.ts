// The file of a session of pi: whether it can be continued, and what a run left in it.
import type { ToolUse } from '../../core/conversation/messages.ts'
import {
  NOTHING_GREW,
  NOTHING_MARKED,
  type SaidInSession,
  type SessionFiles,
  type SessionGrowth,
} from '../adapter.ts'
import { type Fields, fieldsIn, parseFields, textIn } from '../fields.ts'
import { copySession } from './copy-session.ts'
import { callsOf, textOf, usageOf } from './entries.ts'
import { locate } from './session-path.ts'

const MAX_READ_BYTES = 64 * 1024 * 1024

type Entry = { readonly id: string; readonly message: Fields }

export const sessionFiles: SessionFiles = {
  archiveName: 'messages.jsonl',

  async inspect(session, _runtime, files) {
    const { found: path, home } = await locate(session, files)
    if (home === null) return { state: 'unknown' }
    const stat = path === null ? null : await files.stat(path)
    if (path === null || !stat) return { state: 'missing', path: home }
    const damaged = (detail: string) => ({ state: 'damaged' as const, path, detail })
    if (stat.kind !== 'file') return damaged('it is not a file')
    const bytes = await files.read(
      path,
      Math.max(0, stat.sizeBytes - MAX_READ_BYTES),
      stat.sizeBytes,
    )
    const entries = entriesIn(bytes)
    const { end } = session.known
    const at = end === null ? entries.length - 1 : entries.findLastIndex(({ id }) => id === end)
    if (at === -1) return damaged('the last turn that Reprise knows of is missing in it')
    const messages = entries.slice(at + 1).filter(isSaid).length
    if (messages === 0) return { state: 'present' }
    return { state: 'present', foreign: { messages, lastShared: end } }
  },

  async mark(place, files) {
    const { found } = await locate(place, files)
    const stat = found === null ? null : await files.stat(found)
    if (found === null || stat?.kind !== 'file') return NOTHING_MARKED
    return { path: found, sizeBytes: stat.sizeBytes, costUsd: 0 }
  },

  locate,

  async conversation(place, files) {
    const { found } = await locate(place, files)
    const bytes = found === null ? null : await files.read(found)
    if (bytes === null) return null
    return entriesIn(bytes)
      .filter(isSaid)
      .flatMap(({ id, message }): readonly SaidInSession[] => {
        const text = textOf(message)
        if (message.role === 'user') return [{ role: 'user', text, anchor: null }]
        return text === '' ? [] : [{ role: 'assistant', text, anchor: id }]
      })
  },

  async growth(place, mark, sent, files) {
    const path = mark.path ?? (await locate(place, files)).found
    const stat = path === null ? null : await files.stat(path)
    if (path === null || stat?.kind !== 'file' || stat.sizeBytes <= mark.sizeBytes) {
      return NOTHING_GREW
    }
    const from = Math.max(mark.sizeBytes, stat.sizeBytes - MAX_READ_BYTES)
    const entries = entriesIn(await files.read(path, from, stat.sizeBytes))
    const wanted = 'prompt' in sent ? sent.prompt.toWellFormed() : null
    const at = entries.findLastIndex(
      ({ message }) =>
        message.role === 'user' && wanted !== null && textOf(message).includes(wanted),
    )
    if (at === -1) return { ...NOTHING_GREW, grew: true }
    const foreignBefore = entries.slice(0, at).filter(isSaid).length
    return { ...grownBy(entries.slice(at)), foreignBefore }
  },

  holds: (copy, messageId) => entriesIn(copy).some(({ id }) => id === messageId),

  copyAs: copySession,
}

/** The prompt, and what followed it. A message that failed has no content. */
function grownBy(entries: readonly Entry[]): SessionGrowth {
  const answers = entries.filter(({ message }) => message.role === 'assistant')
  const spoke = answers.filter(
    ({ message }) => textOf(message) !== '' || callsOf(message).length > 0,
  )
  const tools = answers.flatMap(({ message }) =>
    callsOf(message).map(call => toolUse(call, entries)),
  )
  const dangling = tools.filter(({ result }) => result === null).length
  const last = answers.at(-1)?.message
  return {
    ...NOTHING_GREW,
    grew: true,
    holdsPrompt: true,
    anchors: spoke.map(({ id }) => id),
    end: entries.at(-1)?.id ?? null,
    text: spoke
      .map(({ message }) => textOf(message))
      .filter(text => text !== '')
      .join('\n\n'),
    tools,
    complete: last?.stopReason === 'stop' && dangling === 0,
    danglingTools: dangling,
    requests: answers.flatMap(({ id, message }) => {
      const usage = usageOf(message)
      if (usage === null) return []
      const requestId = textIn(message.responseId) ?? id
      const model = `${textIn(message.provider) ?? ''}/${textIn(message.model) ?? ''}`
      return [{ requestId, model, usage, main: true }]
    }),
  }
}

function toolUse(call: Fields, entries: readonly Entry[]): ToolUse {
  const id = textIn(call.id) ?? ''
  const result = entries.find(({ message }) => message.toolCallId === id)?.message
  return {
    id,
    name: textIn(call.name) ?? '',
    input: JSON.stringify(fieldsIn(call.arguments) ?? {}),
    result: result ? textOf(result) : null,
    isError: result?.isError === true,
  }
}

function isSaid({ message }: Entry): boolean {
  return message.role === 'user' || message.role === 'assistant'
}

/** The first line of a part may be cut, and is no entry then. */
function entriesIn(bytes: Uint8Array | null): readonly Entry[] {
  return new TextDecoder()
    .decode(bytes ?? new Uint8Array())
    .split('\n')
    .flatMap(line => {
      const entry = parseFields(line)
      const [id, message] = [textIn(entry?.id), fieldsIn(entry?.message)]
      return entry?.type === 'message' && id !== null && message ? [{ id, message }] : []
    })
}
