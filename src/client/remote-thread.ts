// A thread of a daemon, over HTTP.
import type { Removed, Thread, ThreadDetails, TurnOptions } from '../api.ts'
import type { Message } from '../core/conversation/messages.ts'
import { type PreviewInWords, previewOf } from '../core/decide/preview.ts'
import { CANCELLED_UNSTORED } from '../core/run/send-again-hint.ts'
import type { PreWarmEnded, PreWarmed } from '../core/warm/pre-warm.ts'
import { RepriseError } from '../errors.ts'
import { whileAway } from './away.ts'
import type { Http } from './http.ts'
import { type Submission, startRemoteTurn } from './remote-turn.ts'
import { submitHeaders } from './submit-headers.ts'

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
  const start = (submit: () => Promise<Submission>, options: TurnOptions) => {
    const unlessCancelled = async () => {
      const { message, hint } = CANCELLED_UNSTORED
      if (options.signal?.aborted) throw new RepriseError('cancelled', message, hint)
      return submit()
    }
    return startRemoteTurn({ http, threadId: id, submit: unlessCancelled, options, closing })
  }
  return {
    id,
    send: (prompt, options = {}) => {
      const { signal: _, key, trace, ...rest } = options
      const body = { ...UNASKED, ...rest, prompt }
      const sent = submitHeaders(http, { key, trace })
      const submit = async () =>
        http.ask<Submission>('POST', `${path}/turns`, { body, headers: await sent })
      return start(() => whileAway(submit, closing, awaited), options)
    },
    retry: (messageId, options = {}) => {
      const { signal: _, key, trace, ...rest } = options
      const body = { ...UNASKED, ...rest }
      const sent = submitHeaders(http, { key, trace })
      const submit = async () =>
        http.ask<Submission>('POST', `${messagePath(messageId)}/retry`, {
          body,
          headers: await sent,
        })
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
    preview: async ({ signal, key: _, trace: __, ...options } = {}) => {
      const asking = { body: options, ...(signal && { signal }) }
      return previewOf(await http.ask<PreviewInWords>('POST', `${path}/preview`, asking))
    },
    preWarm: ({ signal, key: _, trace: __, ...options } = {}) => {
      const asking = { body: { ...UNASKED, ...options }, ...(signal && { signal }) }
      return http.ask<PreWarmed>('POST', `${path}/warm`, asking)
    },
    endPreWarm: ticket => http.ask<PreWarmEnded>('DELETE', `${path}/warm`, { query: { ticket } }),
    remove: () => http.ask<Removed>('DELETE', path),
  }
}
