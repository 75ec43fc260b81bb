// Ends a run that can no longer end by itself, because its process died or Reprise failed during it.
// The run must not stay open, and what the agent did must not be lost.
import type { Outcome, SessionGrowth } from '../../adapters/adapter.ts'
import type { Observation } from '../../core/run/observe.ts'
import { type Failure, OPEN_STATUSES, type Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease } from '../../store/contract/leases.ts'
import { findAgent } from '../agents/agents.ts'
import { tierContextOf } from '../chains/tier-context.ts'
import { type RunWatch, watchRun } from '../chains/watch-run.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { storeLeftEvents } from '../lease/left-events.ts'
import { mustExist } from '../must-exist.ts'
import { recordEmptyEnd, recordEnd, remainsOf } from '../turn/record-end.ts'
import { bringSession } from './bring-session.ts'
import { hearAgain, rebuildPlan } from './rebuild-plan.ts'

/** Ends a run after an error in the middle of its turn. Rejects if the store fails too; then the caller must call it again. */
export async function endBroken(
  dependencies: Dependencies,
  lease: Lease,
  { run, error }: { run: Run; error: unknown },
): Promise<void> {
  const current = await mustExist(dependencies.store.run(run.id), `run ${run.id}`)
  const latest = await latestOf(dependencies, current)
  if (latest && OPEN_STATUSES.includes(latest.status)) {
    await endWith(dependencies, lease, { run: latest, error }).catch(unlessNotOurs)
  }
  await release(dependencies, lease)
}

export type Interrupted = {
  readonly run: Run
  readonly failure: Failure
  /** Its process was on another machine, so its session file is there. */
  readonly ranElsewhere: boolean
}

/** Ends a run from what the store and the session file still hold. */
export async function endInterrupted(
  dependencies: Dependencies,
  lease: Lease,
  { run, failure, ranElsewhere }: Interrupted,
): Promise<void> {
  await storeLeftEvents(dependencies, lease, run.id)
  const agent = await findAgent(dependencies, run.agent).catch(unlessMissing)
  const tierContext = agent && (await tierContextOf(dependencies, run, agent))
  const watch = agent && tierContext && watchRun(dependencies, tierContext, { run, agent })
  const observation = await hearAgain(dependencies, run, watch)
  const { decision } = run
  if (!decision || !agent) {
    const known = { ...failure, toolsRan: observation.toolsRan }
    await recordEmptyEnd(dependencies, lease, { run, status: 'interrupted', failure: known })
    return
  }
  const known = { run, decision, tierContext }
  const holder = { lease, agent }
  const rebuilt = await rebuildPlan(dependencies, lease, known)
  const plan = ranElsewhere ? await bringSession(dependencies, holder, rebuilt) : rebuilt
  const remains = await remainsOf(dependencies, holder, plan, observation)
  const { growth } = remains
  if (watch) seeUnheard(watch, observation, { growth, agent })
  const outcome = outcomeOf(watch, failure, { observation, growth })
  const observed = { observation, exit: null, outcome, remains, unwritten: [] }
  await recordEnd(dependencies, holder, { plan, observed, mayFallBack: false })
}

/** Shows the watch the calls that only the session file holds, because the writer of events was killed. */
function seeUnheard(
  watch: RunWatch,
  observation: Observation,
  { growth, agent }: { growth: SessionGrowth; agent: Agent },
): void {
  for (const { id, name, input, result, isError } of growth.tools) {
    const heard = observation.tools.get(id)
    if (!heard) watch.see({ type: 'tool', id, name, input, parentId: null }, observation)
    if (result === null || (heard && heard.result !== null)) continue
    const denied = isError && agent.adapter.tools.readsAsRefusal(result)
    watch.see({ type: 'tool-result', id, isError, denied, text: result }, observation)
  }
}

/** Reports a call outside the tier's fence, even if no process lived to stop it. */
function outcomeOf(
  watch: RunWatch | null,
  known: Failure,
  { observation, growth }: { observation: Observation; growth: SessionGrowth },
): Outcome {
  const unheard = growth.tools.filter(tool => !observation.tools.has(tool.id)).length
  const failure = { ...known, toolsRan: observation.toolsRan + unheard }
  if (watch?.stopped?.class !== 'policy-violation') return { kind: 'interrupted', failure }
  return { kind: 'failed', failure: { ...failure, ...watch.stopped } }
}

/** Gives the latest run of the turn: after a refused resume, or in a higher tier. */
async function latestOf({ store }: Dependencies, run: Run): Promise<Run | null> {
  if (run.chainId !== null) return (await store.runsOfChain(run.chainId)).at(-1) ?? null
  return run.continuedBy ? store.run(run.continuedBy) : run
}

async function endWith(
  dependencies: Dependencies,
  lease: Lease,
  { run, error }: { run: Run; error: unknown },
): Promise<void> {
  const cancelled = error instanceof RepriseError && error.code === 'cancelled'
  const failure: Failure = {
    class: cancelled ? 'cancelled' : 'supervisor-died',
    message: error instanceof Error ? error.message : String(error),
    hint:
      error instanceof RepriseError
        ? error.hint
        : 'This is a fault of Reprise: run `reprise verify`, and please report it.',
    toolsRan: 0,
    resetsAt: null,
  }
  if (!cancelled) return endInterrupted(dependencies, lease, { run, failure, ranElsewhere: false })
  await recordEmptyEnd(dependencies, lease, { run, status: 'cancelled', failure })
}

async function release({ store }: Dependencies, lease: Lease): Promise<void> {
  await store.releaseLease(lease).catch(() => {
    // The lease is lost or already released; either way it is no longer ours.
  })
}

/** Ignores the error if the end is already written, or another process has taken over the run and writes it. */
export function unlessNotOurs(error: unknown): void {
  const code = error instanceof RepriseError ? error.code : null
  if (code !== 'lease-lost' && code !== 'conflict') throw error
}

const MISSING: ReadonlySet<string> = new Set(['not-found', 'agent-missing', 'agent-unusable'])

/** A run must be able to end even if its agent is gone from this machine. After any other error its end is written later, with its cost. */
function unlessMissing(error: unknown): null {
  if (error instanceof RepriseError && MISSING.has(error.code)) return null
  throw error
}
