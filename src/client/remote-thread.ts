// A thread of a daemon, over HTTP.
import type { Removed, Thread, ThreadDetails, TurnOptions } from '../api.ts'
import type { Message } from '../core/conversation/messages.ts'
import { type PreviewInWords, previewOf } from '../core/decide/preview.ts'
import type { RequestKey } from '../core/run/request-key.ts'
import { whileAway } from './away.ts'
import type { Http } from './http.ts'
import { type Submission, startRemoteTurn } from './remote-turn.ts'

/** With a key, the daemon does a repeated request only once. */
export function keyHeader(key: RequestKey | undefined): Readonly<Record<string, string>> {
  return { 'idempotency-key': key?.key ?? newKey() }
}

/** `crypto.randomUUID` is not there on pages without TLS; this is. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Over HTTP the default is `ask`; in this interface it is `none`. */
const UNASKED = { questions: 'none' } as const

export function remoteThread(http: Http, id: string, closing: AbortSignal): Thread {
  const path = `/api/threads/${encodeURIComponent(id)}`
  const messagePath = (messageId: string) => `${path}/messages/${encodeURIComponent(messageId)}`
  const awaited = {
    what: `a message to ${id}, which is sent when it is back`,
    goOn: `reprise threads show ${id}`,
    onAway: http.onAway,
  }
  const start = (submit: () => Promise<Submission>, options: TurnOptions) =>
    startRemoteTurn({ http, threadId: id, submit, options, closing })
  return {
    id,
    send: (prompt, options = {}) => {
      const { signal: _, key, ...rest } = options
      const asking = { body: { ...UNASKED, ...rest, prompt }, headers: keyHeader(key) }
      const submit = () => http.ask<Submission>('POST', `${path}/turns`, asking)
      return start(() => whileAway(submit, closing, awaited), options)
    },
    retry: (messageId, options = {}) => {
      const { signal: _, key, ...rest } = options
      const asking = { body: { ...UNASKED, ...rest }, headers: keyHeader(key) }
      const submit = () => http.ask<Submission>('POST', `${messagePath(messageId)}/retry`, asking)
      return start(() => whileAway(submit, closing, awaited), options)
    },
    show: () => http.ask<ThreadDetails>('GET', path),
    edit: (messageId, text) =>
      http.ask<Message>('PATCH', messagePath(messageId), { body: { text } }),
    truncate: messageId => http.ask('DELETE', messagePath(messageId)),
    select: messageId =>
      http.ask<ThreadDetails>('POST', `${messagePath(messageId)}/select`, { body: {} }),
    fork: async (options = {}) => {
      const fork = await http.ask<ThreadDetails>('POST', `${path}/fork`, { body: options })
      return remoteThread(http, fork.id, closing)
    },
    preview: async ({ signal, key: _, ...options } = {}) => {
      const asking = { body: options, ...(signal && { signal }) }
      return previewOf(await http.ask<PreviewInWords>('POST', `${path}/preview`, asking))
    },
    remove: () => http.ask<Removed>('DELETE', path),
  }
}
