// Rebuilds what a run's own process knew, from the stored run, its events, its thread and its session.
import { NOTHING_MARKED } from '../../adapters/adapter.ts'
import { viewOf } from '../../core/conversation/messages.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { newObservation, type Observation, observe } from '../../core/run/observe.ts'
import type { Run } from '../../core/run/run.ts'
import { type EventBody, isSaidByAgent } from '../../core/run/run-events.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { TierContext } from '../chains/tier-context.ts'
import type { RunWatch } from '../chains/watch-run.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { hashOfInstructions } from '../turn/instructions.ts'
import { beforePrompt, type PlannedRun } from '../turn/plan.ts'

const EVENTS_PER_PAGE = 1_000

/** Reads the stored events in order and passes them to `watch`, as the run's own process did. */
export async function hearAgain(
  { store }: Dependencies,
  run: Run,
  watch: RunWatch | null,
): Promise<Observation> {
  const observation = newObservation()
  let after = 0
  for (;;) {
    const page = await store.events(run.id, after, EVENTS_PER_PAGE)
    for (const stored of page) {
      // EventLog wrote it in this shape.
      const event = JSON.parse(stored.json) as EventBody
      if (isSaidByAgent(event)) {
        observe(observation, event)
        watch?.see(event, observation)
      }
      after = stored.seq
    }
    if (page.length < EVENTS_PER_PAGE) break
  }
  // A stop is always recorded before its first signal.
  observation.stopBegan = run.exit !== null
  return observation
}

export async function rebuildPlan(
  { store }: Dependencies,
  lease: Lease,
  known: {
    readonly run: Run
    readonly decision: Decision
    readonly tierContext: TierContext | null
  },
): Promise<PlannedRun> {
  const { run, decision, tierContext } = known
  const start = await store.startOf(run.id)
  const { mark, answerTo } = start ?? { mark: NOTHING_MARKED, answerTo: null }
  const { threadId } = lease
  const prompt = await mustExist(store.message(run.promptMessageId ?? ''), `prompt of ${run.id}`)
  const thread = await mustExist(store.thread(threadId), `thread ${threadId}`)
  const branch = await store.branch(threadId)
  return {
    run,
    view: viewOf(beforePrompt(branch, prompt), thread.view, run.agent),
    prompt,
    decision,
    mark,
    source: 'session' in decision ? await store.session(decision.session.id) : null,
    // The text that was sent is not stored as a whole, but it contains the user's own words.
    sent: answerTo === null ? { prompt: prompt.text } : { answerTo },
    instructionsHash: hashOfInstructions(await store.instructionsOf(run.id)),
    tierContext,
  }
}
