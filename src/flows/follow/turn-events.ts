// Reads the events of a turn from the store, and finds the run in which the turn ends.
import type { Run } from '../../core/run/run.ts'
import type { EventPlace, RunEvent } from '../../core/run/run-events.ts'
import { runEventOf, type StoredEvent } from '../../core/run/stored-events.ts'
import { followTurn } from '../../follow-runs.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import type { FollowOptions, RunLog } from './run-log.ts'

/** Gives the events as they are stored. */
export function followStoredTurn(
  log: RunLog,
  place: EventPlace,
  following: Omit<FollowOptions, 'after'>,
): AsyncGenerator<StoredEvent, void> {
  const followRun = (runId: string, after: number) => log.followRun(runId, { ...following, after })
  return followTurn(place, followRun, continuedBy)
}

/** Gives the events to callers that iterate over a turn of this process. `over` is aborted when its result is known. */
export async function* turnEvents(
  ready: () => Promise<Pick<Dependencies, 'log'>>,
  runId: string,
  over: AbortSignal,
): AsyncGenerator<RunEvent, void> {
  const { log } = await ready()
  for await (const event of followStoredTurn(log, { runId, seq: 0 }, { over })) {
    yield runEventOf(event)
  }
}

/**
 * Waits for the end of a turn that goes on in another run or waits for an answer, in whichever process. Gives the run
 * that ended it, or its latest run if this process closes first. An abort of `signal` cancels the turn.
 */
export async function lastRunOf(
  dependencies: Dependencies,
  run: Run,
  signal: AbortSignal,
): Promise<Run> {
  const { live, log, store, clock } = dependencies
  if (run.status !== 'waiting' && run.continuedBy === null) return run
  let current = run.id
  const cancel = () => {
    store.requestCancel(current, clock.now()).catch(() => {
      // If the store cannot be written, the read below fails too.
    })
  }
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel)
  try {
    const following = { over: live.closing, waitingOn: run.threadId }
    for await (const event of followStoredTurn(log, { runId: run.id, seq: 0 }, following)) {
      if (event.runId === current) continue
      current = event.runId
      // A user may have answered while the turn was cancelled, so the new run needs a cancel too.
      if (signal.aborted) cancel()
    }
  } finally {
    signal.removeEventListener('abort', cancel)
  }
  return mustExist(store.run(current), `run ${current}`)
}

function continuedBy({ json }: StoredEvent): string | null {
  return (JSON.parse(json) as { readonly continuedBy?: string | null }).continuedBy ?? null
}
