// Where a query continues: in the thread of its session, after the last message that the caller's history shares, or in a new thread.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reprise, Thread } from '../api.ts'
import { OPEN_STATUSES } from '../core/run/run.ts'
import { threadMessages } from './conversation-history.ts'
import type { ExecuteOptions } from './execute-options.ts'
import { messagesShared } from './shared-point.ts'

export type QueryPlace = {
  readonly thread: Thread
  /** The last message that both know; `null` on a new thread. */
  readonly after: string | null
  /** Why the session that the caller named is not continued, when that is known already. */
  readonly lost: string | null
}

const POLL_MS = 100

/** An id without a history, or a history without an id, resumes no session. */
export async function findPlace(
  reprise: Pick<Reprise, 'threads' | 'adopt'>,
  { cwd: workDir, agent, model, sdkSessionId, conversationHistory = [], ...more }: ExecuteOptions,
): Promise<QueryPlace> {
  const named = {
    workDir,
    ...(agent && { agent }),
    ...(more.trust && { trust: more.trust }),
    ...(more.sandbox && { sandbox: more.sandbox }),
  }
  const messages = threadMessages(conversationHistory)
  if (messages.length === 0) {
    return { thread: await reprise.threads.create(named), after: null, lost: null }
  }
  const request = { ...named, ...(model && { model }), messages }
  if (!sdkSessionId) return { thread: await reprise.adopt(request), after: null, lost: null }
  const known = await reprise.adopt({ ...request, sessionId: sdkSessionId })
  const { kind, messages: said, sessions } = await known.show()
  if (sessions.every(session => session.sessionId !== sdkSessionId)) {
    return { thread: known, after: null, lost: 'the agent has no file of it that can be continued' }
  }
  const shared = kind === 'chat' ? messagesShared(said, conversationHistory) : null
  const after = shared === null ? null : (said[shared - 1]?.id ?? null)
  if (after !== null) return { thread: known, after, lost: null }
  const lost =
    kind === 'chat' ? 'it holds something else than the history' : `it belongs to a ${kind}`
  return { thread: await reprise.adopt(request), after: null, lost }
}

/** Another query runs or waits on the thread: this one waits for its end, or until it is aborted. */
export async function waitUntilFree(
  { runs }: Pick<Reprise, 'runs'>,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  while (!signal?.aborted) {
    const pages = await Promise.all(
      OPEN_STATUSES.map(status => runs.list({ threadId, status, limit: 1 })),
    )
    if (pages.every(page => page.length === 0)) return
    await sleep(POLL_MS, undefined, signal ? { signal } : {}).catch(() => {}) // Aborted: seen above.
  }
}
