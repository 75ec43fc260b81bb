// A turn whose run waits for an answer is not over: it goes on in the run that brings the answer, whoever runs that.
import type { TurnEvent } from '../../api.ts'
import type { Run } from '../../core/run/run.ts'
import { type EventBody, isSaidByAgent } from '../../core/run/run-events.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import type { TurnControl } from '../queue/under-way.ts'
import { recover } from '../recovery/recover.ts'

const EVENTS_PER_PAGE = 1_000

type Control = Pick<TurnControl, 'emit' | 'signal'>

/** Gives the run that ended the turn; the waiting one when this process closes first. */
export async function followReply(
  dependencies: Dependencies,
  run: Run,
  control: Control,
): Promise<Run> {
  let last = run
  // An answer may have been faster than we.
  while (last.continuedBy || (last.status === 'waiting' && !dependencies.live.closing.aborted)) {
    last = last.continuedBy
      ? await followRun(dependencies, last.continuedBy, control)
      : await whenAnswered(dependencies, last, control)
  }
  return last
}

async function whenAnswered(
  dependencies: Dependencies,
  waiting: Run,
  control: Control,
): Promise<Run> {
  const { store, clock, timing, live } = dependencies
  const signal = AbortSignal.any([control.signal, live.closing])
  const look = async (called: Promise<void>): Promise<Run | null> => {
    // Also ends it when its time is over.
    await recover(dependencies)
    const run = await mustExist(store.run(waiting.id), `run ${waiting.id}`)
    if (run.status !== 'waiting' || live.closing.aborted) return run
    if (control.signal.aborted) await store.requestCancel(run.id, clock.now())
    else await Promise.race([called, clock.sleep(timing.renewMs, signal)])
    return null
  }
  for (;;) {
    const run = await live.answers.waitDuring(waiting.id, look)
    if (run) return run
  }
}

/** Tells the events of a run as its turn's own, until it has ended or waits for nobody but the user. */
async function followRun(
  dependencies: Dependencies,
  runId: string,
  control: Control,
): Promise<Run> {
  const { store, clock, timing, live } = dependencies
  let after = 0
  for (;;) {
    const run = await mustExist(store.run(runId), `run ${runId}`)
    const page = await store.events(runId, after, EVENTS_PER_PAGE)
    for (const { json, seq } of page) {
      after = seq
      for (const event of turnEvents(runId, JSON.parse(json) as EventBody)) control.emit(event)
    }
    if (page.length > 0) continue
    if (run.endedAt !== null) return run
    if (run.status === 'waiting' && (await isParked(dependencies, run))) return run
    if (live.closing.aborted) return run
    if (control.signal.aborted) await store.requestCancel(runId, clock.now())
    await recover(dependencies, run.threadId)
    await clock.sleep(timing.queuePollMs, live.closing)
  }
}

async function isParked({ store }: Dependencies, run: Run): Promise<boolean> {
  const open = await store.questions({ runId: run.id, state: 'open', limit: 1 })
  return open.some(question => question.delivery !== 'live')
}

function turnEvents(runId: string, event: EventBody): readonly TurnEvent[] {
  if (event.type === 'started') return [{ type: 'started', runId, decision: event.decision }]
  // The turn tells its own end, once.
  return isSaidByAgent(event) || event.type === 'answer' ? [event] : []
}
