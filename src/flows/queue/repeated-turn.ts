// Handles a turn that was already sent with the same key: runs nothing and gives the result of the first one.
import type { Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { followStoredTurn } from '../follow/turn-events.ts'
import { mustExist } from '../must-exist.ts'

/** Waits for the first turn, in whichever process it runs. A caller that cancels ends only its own waiting. */
export async function firstEnd(
  { store, log, live }: Dependencies,
  first: Run,
  signal: AbortSignal,
): Promise<Run> {
  let runId = first.id
  const following = { signal, over: live.closing, waitingOn: first.threadId }
  for await (const event of followStoredTurn(log, { runId, seq: 0 }, following)) {
    runId = event.runId
  }
  const run = await mustExist(store.run(runId), `run ${runId}`)
  if (run.endedAt !== null && run.continuedBy === null) return run
  const what = `run ${run.id} goes on; only the waiting for it has ended`
  throw new RepriseError('cancelled', what, `To end it: reprise runs cancel ${run.id}.`)
}
