// Writes the end of a run, in the process that ran it or in the one that found it after a crash.
import { NOTHING_GREW, type Outcome, type SessionGrowth } from '../../adapters/adapter.ts'
import type { Session } from '../../core/conversation/session.ts'
import { continuesWritten } from '../../core/decide/continuation.ts'
import { SESSION_FAULTS } from '../../core/run/failure.ts'
import type { Observation } from '../../core/run/observe.ts'
import type { Exit, Failure, Run } from '../../core/run/run.ts'
import { fallbackEvent } from '../../core/run/run-events.ts'
import type { NewEvent } from '../../core/run/stored-events.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { NextTurn, RunEnd } from '../../store/contract/runs.ts'
import { agentAbove } from '../chains/tier-agents.ts'
import { supervisor, verdictOf } from '../chains/tier-context.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { growthSaid } from '../sessions/growth-said.ts'
import { keepSession } from '../sessions/session-copy.ts'
import { failureWithoutSecrets } from './event-log.ts'
import type { PlannedRun, Refusal } from './plan.ts'
import { bringsAfter, refusalOf } from './refused-resume.ts'
import { emptyEnd, type Finished, settle } from './settle.ts'

export type Holder = { readonly lease: Lease; readonly agent: Agent }

/** What this process knows about a run, from its first event to what it left in its session. */
export type Observed = {
  readonly observation: Observation
  readonly exit: Exit | null
  readonly outcome: Outcome
  readonly remains: Remains
  /** Events that are not stored yet. */
  readonly unwritten: readonly NewEvent[]
}

export type Remains = { readonly session: Session | null; readonly growth: SessionGrowth }

/** The result of recording an end: the ended run, and the run in which the turn goes on. */
export type Recorded = {
  readonly run: Run
  readonly next: Next | null
}

export type Next = {
  readonly runId: string
  readonly agent: Agent
  /** Why the agent did not continue the session; `null` when the next tier begins. */
  readonly refused: Refusal | null
}

export async function recordEnd(
  dependencies: Dependencies,
  { lease, agent }: Holder,
  ended: {
    readonly plan: PlannedRun
    readonly observed: Observed
    /** Whether a run without the session may follow when the agent refuses it. */
    readonly mayFallBack: boolean
    /** The next turn of a process that its caller keeps; absent: none. */
    readonly nextTurn?: NextTurn
  },
): Promise<Recorded> {
  const { plan, observed, mayFallBack, nextTurn } = ended
  const { run, tierContext } = plan
  const { store, random } = dependencies
  const outcome = outcomeWithoutSecrets(observed.outcome, agent)
  const seen = { outcome, observation: observed.observation, ranOn: observed.remains.session }
  const refused = mayFallBack ? refusalOf(plan, seen) : null
  const verdict = tierContext && verdictOf(tierContext, outcome, observed.observation)
  const nextRunId = random.id('run')
  const above = tierContext
    ? await agentAbove(dependencies, { chain: tierContext.chain, tier: run.tier ?? 1 }, agent)
    : { agent }
  const asking = { run, agent, above, outcome, verdict, nextRunId }
  const fallback =
    refused &&
    fallbackEvent(refused.reason, { runId: nextRunId, brings: bringsAfter(plan, refused) })
  const finished: Finished = {
    ...plan,
    ...observed,
    ...sessionToChange(plan, outcome, observed.remains),
    agent,
    outcome,
    now: dependencies.clock.now(),
    expireAfterMs: dependencies.questions.expireAfterMs,
    answerId: random.id('msg'),
    restatedId: random.id('msg'),
    fallback,
    verdict: verdict?.read === 'verdict' ? verdict.verdict : null,
    supervise: tierContext && supervisor(dependencies, tierContext, asking),
    ...(nextTurn && { nextTurn }),
  }
  const { session, growth } = finished
  const copy = async () => {
    if (session && growth.grew) {
      await keepSession(dependencies, agent, { session, path: plan.mark.path })
    }
  }
  // A copy that other hosts use is made when the lease has proved that the run was ours.
  const copied = dependencies.vault.isShared ? null : copy()
  const step = await endWithCopy(store.endRun(lease, settle(finished)), copied)
  if (copied === null) await copy()
  const settled = await mustExist(store.run(run.id), `run ${run.id}`)
  const staysInTier = step !== null && step.kind !== 'end' && step.tier === run.tier
  await dependencies.tracing.end(settled, { continues: refused !== null || staysInTier })
  if (refused) return { run: settled, next: { runId: nextRunId, agent, refused } }
  if (step === null || step.kind === 'end') return { run: settled, next: null }
  const entersNext = step.kind === 'enter' && 'agent' in above
  const nextAgent = entersNext ? above.agent : agent
  return { run: settled, next: { runId: nextRunId, agent: nextAgent, refused: null } }
}

/** Both go on at the same time. Nothing is left under way when the end is refused. */
async function endWithCopy<T>(end: Promise<T>, copied: Promise<void> | null): Promise<T> {
  try {
    return await end
  } finally {
    await copied
  }
}

/** Ends a run that left no answer, no cost and nothing in a session. */
export async function recordEmptyEnd(
  { store, clock, random, tracing }: Dependencies,
  lease: Lease,
  end: { readonly run: Run; readonly status: RunEnd['status']; readonly failure: Failure },
): Promise<Recorded> {
  const { run, status, failure } = end
  const restatedId = random.id('msg')
  await store.endRun(lease, emptyEnd(run, { status, failure, now: clock.now(), restatedId }))
  const ended = await mustExist(store.run(run.id), `run ${run.id}`)
  await tracing.end(ended, { continues: false })
  return { run: ended, next: null }
}

/** Looks up what the run left: the session it ran on, and what was added to it, as its file shows or as the agent says. */
export async function remainsOf(
  { store, files }: Dependencies,
  { lease, agent }: Holder,
  plan: PlannedRun,
  observation: Observation,
): Promise<Remains> {
  const session = await sessionOfRun(store, lease, plan)
  if (!session) return { session: null, growth: NOTHING_GREW }
  const { sessionId, workDir } = session
  const place = { sessionId, workDir, env: agent.fullEnv }
  const { sessionFiles } = agent.adapter
  const growth = sessionFiles
    ? await sessionFiles.growth(place, plan.mark, plan.sent, files)
    : growthSaid(plan.decision, observation)
  return { session, growth }
}

/** The session that a run ran on; `null`: it named none. */
export async function sessionOfRun(
  store: Dependencies['store'],
  { threadId }: Lease,
  { run, decision, source }: PlannedRun,
): Promise<Session | null> {
  if (decision.action === 'resume') return source
  const { sessionId } = await mustExist(store.run(run.id), `run ${run.id}`)
  if (sessionId === null) return null
  const [found] = await store.sessions({ threadId, sessionId })
  return found ?? null
}

/** The last output of a program may hold anything, and it is stored with the run, its session and its chain. */
function outcomeWithoutSecrets(outcome: Outcome, { secrets }: Agent): Outcome {
  if (outcome.kind === 'completed') return outcome
  return { ...outcome, failure: failureWithoutSecrets(outcome.failure, secrets) }
}

/** If a fork left nothing, its source session is to blame, not the copy that was never made. */
function sessionToChange(
  { decision, source }: PlannedRun,
  outcome: Outcome,
  { session, growth }: Remains,
): Remains {
  if (outcome.kind === 'completed') return { session, growth }
  const { class: kind } = outcome.failure
  if (continuesWritten(decision)) return { session, growth }
  const wasRefused = outcome.kind === 'failed' && kind === 'resume-refused'
  const isEmptyFork = decision.action === 'fork' && !growth.holdsPrompt
  const blamesSource = wasRefused || (SESSION_FAULTS.includes(kind) && isEmptyFork)
  return blamesSource ? { session: source, growth: NOTHING_GREW } : { session, growth }
}
