// A turn that was sent before with the same key. Nothing is run; the result is that of the first.
import type { TurnResult } from '../../api.ts'
import type { Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { recover } from '../recovery/recover.ts'
import type { TurnControl } from './under-way.ts'

/** Whoever runs the first one, here or in another process, is waited for; a caller who gives up ends only the waiting. */
export async function firstResult(
  dependencies: Dependencies,
  { first, control }: { first: Run; control: Pick<TurnControl, 'emit' | 'signal'> },
): Promise<TurnResult> {
  const { store, clock, timing } = dependencies
  let run = first
  while (run.endedAt === null || run.continuedBy) {
    const next = run.continuedBy ?? run.id
    run = await mustExist(store.run(next), `run ${next}`)
    if (run.endedAt !== null) continue
    if (control.signal.aborted) throw stoppedWaiting(run)
    // Whoever ran it may have died.
    await recover(dependencies, run.threadId)
    await clock.sleep(timing.queuePollMs, control.signal)
  }
  control.emit({ type: 'ended', run })
  const answer = run.answerMessageId ? await store.message(run.answerMessageId) : null
  return {
    run,
    threadId: first.threadId ?? '',
    messageId: first.promptMessageId ?? '',
    text: answer?.text ?? '',
  }
}

function stoppedWaiting(run: Run): RepriseError {
  const what = `run ${run.id} goes on; only the waiting for it has ended`
  return new RepriseError('cancelled', what, `Cancel run ${run.id} to end it.`)
}
