// A turn that a daemon runs, with the same events and the same result as a turn of this process.

import type { Turn, TurnOptions, TurnResult } from '../api.ts'
import type { Run } from '../core/run/run.ts'
import type { EventPlace, RunEvent } from '../core/run/run-events.ts'
import { sendAgainHint } from '../core/run/send-again-hint.ts'
import { RepriseError } from '../errors.ts'
import { followTurn, nextRunOf } from '../follow-runs.ts'
import { type WaitedFor, whileAway } from './away.ts'
import type { Http } from './http.ts'
import { followRemoteRun, type RemoteFollowOptions } from './run-events.ts'
import { underWay } from './under-way.ts'

export type Submission = { readonly runId: string; readonly messageId: string }

export type RemoteTurn = {
  readonly http: Http
  readonly threadId: string
  readonly submit: () => Promise<Submission>
  /** When the caller's signal aborts, the turn is cancelled. */
  readonly options: TurnOptions
  /** Aborts when the client is closed: the turn continues without a reader. */
  readonly closing: AbortSignal
}

export function startRemoteTurn(turn: RemoteTurn): Turn {
  const { http, threadId, closing } = turn
  return underWay({
    submitted: turn.submit(),
    signal: turn.options.signal,
    closing,
    stop: (ids, current) => cancelWhenBack(turn, () => runPath(current ?? ids.runId)),
    follow: ({ runId }, after, signal) =>
      followRemoteTurn(http, after ?? { runId, seq: 0 }, {
        signal,
        awaited: waitedFor(runId, threadId),
      }),
    finish: async (ids, last) => {
      const awaited = { ...waitedFor(ids.runId, threadId), onAway: http.onAway }
      const path = `${runPath(last?.runId ?? ids.runId)}/result`
      const { run, text } = await read<RunResult>({ http, closing, awaited }, path)
      if (run.startedAt === null && run.status !== 'failed') throw neverStarted(run, turn)
      return { run, threadId, messageId: ids.messageId, text }
    },
  })
}

/** Follows a turn after a place, with the same loop as for a turn of this process. */
export function followRemoteTurn(
  http: Http,
  place: EventPlace,
  following: Omit<RemoteFollowOptions, 'after'>,
): AsyncGenerator<RunEvent, void> {
  const followRun = (runId: string, after: number) =>
    followRemoteRun(http, runId, { ...following, after })
  return followTurn(place, followRun, nextRunOf)
}

function waitedFor(runId: string, threadId: string): RemoteFollowOptions['awaited'] {
  return { what: `${runId} of ${threadId}`, goOn: `reprise runs show ${runId}` }
}

function runPath(id: string): string {
  return `/api/runs/${encodeURIComponent(id)}`
}

/** Sends the cancel as soon as the daemon is back. It gives no notices; the reader of the events does. */
export function cancelWhenBack(
  { http, closing }: Pick<RemoteTurn, 'http' | 'closing'>,
  pathOf: () => string,
): Promise<void> {
  const cancel = () => http.ask<void>('POST', `${pathOf()}/cancel`, { body: {} })
  return whileAway(cancel, closing, { what: 'a cancel', goOn: 'reprise runs', onAway: () => {} })
}

type RunResult = Pick<TurnResult, 'run' | 'text'>

type Reading = Pick<RemoteTurn, 'http' | 'closing'> & { readonly awaited: WaitedFor }

/** A read is idempotent, so it is repeated while the daemon is away. */
function read<T>({ http, closing, awaited }: Reading, path: string): Promise<T> {
  return whileAway(() => http.ask<T>('GET', path, { signal: closing }), closing, awaited)
}

function neverStarted(run: Run, { options }: RemoteTurn): RepriseError {
  if (options.whenBusy === 'fail') {
    const busy = `thread ${run.threadId} is busy: another run is going or waits before this one`
    return new RepriseError('busy', busy, 'Wait for it, or end it: reprise runs --status running.')
  }
  const what = `run ${run.id} was cancelled before its turn came`
  return new RepriseError('cancelled', what, sendAgainHint(run))
}
