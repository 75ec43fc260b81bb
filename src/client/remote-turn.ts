// A turn that a daemon runs, as its caller sees it: the same events, the same result as from a turn of this process.
import type { Reprise, ThreadDetails, Turn, TurnEvent, TurnOptions, TurnResult } from '../api.ts'
import type { Decision } from '../core/decide/decision.ts'
import type { AgentEvent } from '../core/run/events.ts'
import type { Run } from '../core/run/run.ts'
import { RepriseError } from '../errors.ts'
import { type WaitedFor, whileAway } from './away.ts'
import type { Http } from './http.ts'
import { readRunEvents } from './run-events.ts'
import { underWay } from './under-way.ts'

export type Submission = { readonly runId: string; readonly messageId: string }

export type RemoteTurn = {
  readonly http: Http
  readonly threadId: string
  readonly submit: () => Promise<Submission>
  /** The abort of the caller's signal cancels the turn. */
  readonly options: TurnOptions
  /** Aborted when the client is closed: the turn goes on without a listener. */
  readonly closing: AbortSignal
}

export function startRemoteTurn(turn: RemoteTurn): Turn {
  const current = { runId: '' }
  return underWay({
    submitted: turn.submit(),
    signal: turn.options.signal,
    stop: ids => cancelWhenBack(turn, () => `/api/runs/${current.runId || ids.runId}`),
    follow: (ids, emit) =>
      follow(turn, ids, event => {
        if (event.type === 'started') current.runId = event.runId
        emit(event)
      }),
  })
}

/** Asked for while the daemon is away, the cancel is sent when it is back. Whoever follows the events says that it is away. */
export function cancelWhenBack(
  { http, closing }: Pick<RemoteTurn, 'http' | 'closing'>,
  pathOf: () => string,
): Promise<void> {
  const cancel = () => http.ask<void>('POST', `${pathOf()}/cancel`, { body: {} })
  return whileAway(cancel, closing, { what: 'a cancel', goOn: 'reprise runs', tell: () => {} })
}

type QueuedRun = Awaited<ReturnType<Reprise['runs']['get']>>

const REFUSALS: ReadonlySet<string | undefined> = new Set(['resume-refused', 'anchor-missing'])

async function follow(
  remote: RemoteTurn,
  ids: Submission,
  emit: (event: TurnEvent) => void,
): Promise<TurnResult> {
  const { threadId } = remote
  const awaited = {
    what: `${ids.runId} of ${threadId}`,
    goOn: `reprise runs show ${ids.runId}`,
    tell: awayTeller(remote.http, emit),
  }
  const turn = { ...remote, awaited }
  await tellQueue(turn, ids.runId, emit)
  let run = await followRun(turn, { runId: ids.runId, refusedRun: null }, emit)
  while (run.continuedBy !== null) {
    // A run that asked is followed by the one that brings the answer: nothing was refused.
    const refusedRun = REFUSALS.has(run.failure?.class) ? run.id : null
    run = await followRun(turn, { runId: run.continuedBy, refusedRun }, emit)
  }
  if (run.startedAt === null && run.status !== 'failed') throw neverStarted(run, turn)
  emit({ type: 'ended', run })
  return { run, threadId, messageId: ids.messageId, text: await answerOf(turn, run) }
}

/** To whoever follows the events, and to whoever opened the connection. */
export function awayTeller(http: Http, emit: (event: TurnEvent) => void): WaitedFor['tell'] {
  return notice => {
    http.onAway(notice)
    emit({ type: 'notice', ...notice })
  }
}

type Followed = Pick<RemoteTurn, 'http' | 'closing'> & { readonly awaited: WaitedFor }

/** The log has them too; here they are made once more, as a turn of this process makes them. */
const MADE_HERE: ReadonlySet<string> = new Set(['queued', 'fallback', 'supervised'])

/** Emits what the run says until it has ended, and gives its record. */
export async function followRun(
  { http, closing, awaited }: Followed,
  { runId, refusedRun }: { readonly runId: string; readonly refusedRun: string | null },
  emit: (event: TurnEvent) => void,
): Promise<Run> {
  for await (const { event } of readRunEvents(http, runId, { signal: closing, awaited })) {
    if (event.type === 'ended') break
    if (MADE_HERE.has(event.type)) continue
    if (event.type !== 'started') {
      emit(event as unknown as AgentEvent)
      continue
    }
    const decision = event.decision as Decision
    if (refusedRun !== null) emit(await fallback(refusedRun, runId, decision))
    emit({ type: 'started', runId, decision })
  }
  return read({ http, closing, awaited }, `/api/runs/${encodeURIComponent(runId)}`)
}

async function fallback(runId: string, nextRunId: string, decision: Decision): Promise<TurnEvent> {
  const { reasonWords } = await import('../core/decide/explain.ts')
  const why = 'reason' in decision ? reasonWords(decision.reason) : 'the session was refused'
  const words = `${why}; the turn goes on in a new session with the transcript`
  return { type: 'fallback', runId, nextRunId, words }
}

async function tellQueue(
  turn: Followed,
  runId: string,
  emit: (event: TurnEvent) => void,
): Promise<void> {
  const { waitsFor } = await read<QueuedRun>(turn, `/api/runs/${encodeURIComponent(runId)}`)
  if (!waitsFor) return
  const behind = waitsFor.code === 'thread-busy' ? waitsFor.runId : null
  emit({ type: 'queued', runId, behind, words: waitsFor.words })
}

async function answerOf(turn: Followed & Pick<RemoteTurn, 'threadId'>, run: Run): Promise<string> {
  if (run.answerMessageId === null) return ''
  const path = `/api/threads/${encodeURIComponent(turn.threadId)}`
  const { messages } = await read<ThreadDetails>(turn, path)
  return messages.find(message => message.id === run.answerMessageId)?.text ?? ''
}

/** What only reads may be asked again when the daemon was away. */
function read<T>({ http, closing, awaited }: Followed, path: string): Promise<T> {
  return whileAway(() => http.ask<T>('GET', path, { signal: closing }), closing, awaited)
}

function neverStarted(run: Run, { options }: RemoteTurn): RepriseError {
  if (options.whenBusy === 'fail') {
    const busy = `thread ${run.threadId} is busy: another run is going or waits before this one`
    return new RepriseError('busy', busy, 'Wait for it, or end it: reprise runs --status running.')
  }
  const what = `run ${run.id} was cancelled before its turn came`
  return new RepriseError('cancelled', what, 'Its prompt is kept; send it again when you like.')
}
