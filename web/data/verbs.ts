// Verbs that begin something which goes on. The client would follow it over a connection of its own; a browser has only six
// for all tabs, so a page sends the request and learns the rest from its one stream.
import type { Chain, ChainOptions, TurnOptions } from '../../src/api.ts'
import { whileAway } from '../../src/client/away.ts'
import { keyHeader } from '../../src/client/submit-headers.ts'
import type { GivenAnswer } from '../../src/core/conversation/question.ts'
import type { Run } from '../../src/core/run/run.ts'
import type { PreWarmed } from '../../src/core/warm/pre-warm.ts'
import { http } from './client.ts'

export type SubmittedTurn = { readonly runId: string; readonly messageId: string }

type Sent = Omit<TurnOptions, 'key' | 'signal'>

export function sendTurn(
  threadId: string,
  turn: Sent & { readonly prompt: string },
): Promise<SubmittedTurn> {
  return post(`/api/threads/${encodeURIComponent(threadId)}/turns`, turn)
}

/**
 * Lets the daemon start the process of the turn that is being written. The page goes on without an answer: the turn works either way. Gives what to call
 * when the turn is not sent after all.
 */
export function preWarmTurn(threadId: string, turn: Sent): () => void {
  const path = `/api/threads/${encodeURIComponent(threadId)}/warm`
  const started = http.ask<PreWarmed>('POST', path, { body: turn })
  const end = async () => {
    // A process that is still starting could not be ended.
    const asked = await started
    if (asked.waits) await http.ask('DELETE', path, { query: { ticket: asked.ticket } })
  }
  started.catch(() => {})
  return () => void end().catch(() => {})
}

/** Asks again at a message, with another text if one is given. */
export function retryTurn(
  { threadId, messageId }: { readonly threadId: string; readonly messageId: string },
  turn: Sent & { readonly text?: string } = {},
): Promise<SubmittedTurn> {
  const message = `messages/${encodeURIComponent(messageId)}`
  return post(`/api/threads/${encodeURIComponent(threadId)}/${message}/retry`, turn)
}

/** The answer of a person to a question or a permission. */
export function giveAnswer(
  { runId, toolUseId }: { readonly runId: string; readonly toolUseId: string },
  answer: GivenAnswer,
): Promise<Run> {
  return post(`/api/runs/${encodeURIComponent(runId)}/tool-result`, { toolUseId, ...answer })
}

export function startChain(
  chain: Omit<ChainOptions, 'key' | 'signal' | 'policy'> & { readonly policy: string },
): Promise<Chain> {
  return post('/api/chains', chain)
}

export function approveChain(id: string): Promise<Chain> {
  return post(`/api/chains/${encodeURIComponent(id)}/approve`, {})
}

export function continueChain(id: string): Promise<Chain> {
  return post(`/api/chains/${encodeURIComponent(id)}/continue`, {})
}

/** One key for all tries: if the daemon goes away in the middle, the work begins only once. */
function post<T>(path: string, body: unknown): Promise<T> {
  const headers = keyHeader(undefined)
  const send = () => http.ask<T>('POST', path, { body, headers })
  const awaited = { what: 'your request', goOn: 'reprise threads', onAway: () => {} }
  return whileAway(send, new AbortController().signal, awaited)
}
