// After a crash: runs whose process died end as `interrupted`, with all that the store and the session file still know.
import {
  NOTHING_GREW,
  NOTHING_MARKED,
  type Outcome,
  type Sent,
  type SessionGrowth,
  type SessionMark,
} from '../../adapters/adapter.ts'
import { viewOf } from '../../core/conversation/messages.ts'
import type { Session } from '../../core/conversation/session.ts'
import { newObservation, type Observation, observe } from '../../core/run/observe.ts'
import type { Failure, Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { OrphanCandidate } from '../../store/contract/queue.ts'
import { findAgent } from '../agents/agents.ts'
import { tierContextOf } from '../chains/tier-context.ts'
import { type RunWatch, watchRun } from '../chains/watch-run.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { expireQuestions } from '../questions/answers.ts'
import type { LiveRuns } from '../queue/live-runs.ts'
import { keepSession } from '../sessions/session-copy.ts'
import type { LoggedEvent } from '../turn/event-log.ts'
import { hashOfInstructions } from '../turn/instructions.ts'
import { beforePrompt } from '../turn/plan.ts'
import { emptyEnd, settle } from '../turn/settle.ts'

const EVENTS_PER_PAGE = 1_000

/**
 * Gives the runs that were ended. Safe to call at any time, from any process. A queued turn that a dead process
 * kept for its follower is left alone, unless somebody waits behind it in `waitingOn`, a thread.
 */
export async function recover(
  dependencies: Dependencies,
  live: LiveRuns,
  waitingOn: string | null = null,
): Promise<readonly string[]> {
  await expireQuestions(dependencies)
  const ended: string[] = []
  for (const candidate of await dependencies.store.openRuns()) {
    if (!isOrphan(dependencies, candidate)) continue
    if (isKept(candidate) && candidate.run.threadId !== waitingOn) continue
    if (await recoverOne(dependencies, live, candidate)) ended.push(candidate.run.id)
  }
  return ended
}

/** Queued turns that a dead process kept: from now on they are ours, and the caller runs them. */
export async function adoptQueue(dependencies: Dependencies): Promise<readonly Run[]> {
  const adopted: Run[] = []
  for (const candidate of await dependencies.store.openRuns()) {
    if (!isKept(candidate) || !isOrphan(dependencies, candidate)) continue
    const { run, owner } = candidate
    if (await dependencies.store.adoptQueued(run.id, owner, dependencies.owner)) adopted.push(run)
  }
  return adopted
}

function isKept({ run, owner }: OrphanCandidate): boolean {
  // An attempt of a job is for whoever takes the job next.
  return run.status === 'queued' && owner.keepsQueue === true && run.jobId === null
}

/** On this host the process tells; elsewhere only its lease can. */
function isOrphan(dependencies: Dependencies, { owner, expired }: OrphanCandidate): boolean {
  const alive = dependencies.isAlive(owner)
  return alive === null ? expired : !alive
}

async function recoverOne(
  dependencies: Dependencies,
  live: LiveRuns,
  { run, owner }: OrphanCandidate,
): Promise<boolean> {
  if (run.status === 'queued') {
    const failure = died('The process that had queued this turn ended before its turn came.', 0)
    return dependencies.store.abandonQueued(run.id, owner, failure, dependencies.clock.now())
  }
  const lease = await dependencies.store.takeOver(
    run.id,
    owner,
    dependencies.owner,
    dependencies.timing.leaseMs,
  )
  if (!lease) return false
  const words = 'The process that supervised this run died before the run ended.'
  // From here on it is ours: an end that cannot be written now must be written later.
  return live.writeEnd(run.id, async () => {
    // Before the session is looked at: nothing may still be writing to it.
    await dependencies.runner.endLeftovers(run.id)
    await endInterrupted(dependencies, { run, lease, failure: died(words, 0) })
  })
}

/** Ends a run of which only the store and the session file can still tell something. */
export async function endInterrupted(
  dependencies: Dependencies,
  { run, lease, failure: known }: { run: Run; lease: Lease; failure: Failure },
): Promise<void> {
  const agent = await findAgent(dependencies, run.agent).catch(unlessMissing)
  const tierContext = agent && (await tierContextOf(dependencies, run, agent))
  const watch = agent && tierContext && watchRun(dependencies, tierContext, { run, agent })
  const { observation, mark, answerTo } = await readEvents(dependencies, run.id, watch)
  // The stop was recorded before its first signal.
  observation.stopBegan = run.exit !== null
  const prompt = await mustExist(
    dependencies.store.message(run.promptMessageId ?? ''),
    'the prompt',
  )
  const thread = await mustExist(
    dependencies.store.thread(lease.threadId),
    `thread ${lease.threadId}`,
  )
  const branch = await dependencies.store.branch(lease.threadId)
  const session = run.sessionId ? await sessionOf(dependencies, lease, run.sessionId) : null
  const restatedId = dependencies.random.id('msg')
  if (!run.decision || !agent) {
    const failure = { ...known, toolsRan: observation.toolsRan }
    const end = emptyEnd(run, { status: 'interrupted', failure, now: dependencies.clock.now() })
    await dependencies.store.endRun(lease, { ...end, restatedId })
    return
  }
  const sent = answerTo === null ? { prompt: prompt.text } : { answerTo }
  const growth = await growthOf(dependencies, { agent, session, mark, sent })
  const unheard = growth.tools.filter(tool => !observation.tools.has(tool.id)).length
  const failure = { ...known, toolsRan: observation.toolsRan + unheard }
  if (watch) seeUnheard(watch, observation, { growth, agent })
  const end = settle({
    run,
    agent,
    decision: run.decision,
    view: viewOf(beforePrompt(branch, prompt), thread.view, run.agent),
    prompt,
    instructionsHash: hashOfInstructions(await dependencies.store.instructionsOf(run.id)),
    session,
    observation,
    sent,
    mark,
    growth,
    outcome: violated(watch, failure) ?? { kind: 'interrupted', failure },
    exit: null,
    now: dependencies.clock.now(),
    expireAfterMs: dependencies.questions.expireAfterMs,
    answerId: dependencies.random.id('msg'),
    restatedId,
    nextRunId: null,
    verdict: null,
    supervise: null,
    unwritten: [],
  })
  await dependencies.store.endRun(lease, end)
  if (session && growth.grew) await keepSession(dependencies, agent, { session, path: mark.path })
}

/** What the store does not know any more, because its writer was killed, may be in the session file. */
function seeUnheard(
  watch: RunWatch,
  observation: Observation,
  { growth, agent }: { growth: SessionGrowth; agent: Agent },
): void {
  for (const { id, name, input, result, isError } of growth.tools) {
    const heard = observation.tools.get(id)
    if (!heard) watch.see({ type: 'tool', id, name, input, parentId: null }, observation)
    if (result === null || (heard && heard.result !== null)) continue
    const denied = isError && agent.adapter.readsAsRefusal(result)
    watch.see({ type: 'tool-result', id, isError, denied, text: result }, observation)
  }
}

/** A tool that left its tier is told, also when nobody lived to stop it. */
function violated(watch: RunWatch | null, { toolsRan, resetsAt }: Failure): Outcome | null {
  if (watch?.stopped?.class !== 'policy-violation') return null
  return { kind: 'failed', failure: { ...watch.stopped, toolsRan, resetsAt } }
}

async function readEvents(dependencies: Dependencies, runId: string, watch: RunWatch | null) {
  const observation = newObservation()
  let mark: SessionMark = NOTHING_MARKED
  let answerTo: string | null = null
  let after = 0
  for (;;) {
    const page = await dependencies.store.events(runId, after, EVENTS_PER_PAGE)
    for (const stored of page) {
      // Written by EventLog in the same shape.
      const event = JSON.parse(stored.json) as LoggedEvent
      if (event.type === 'started') ({ mark, answerTo } = event)
      else if (event.type !== 'ended' && event.type !== 'answer') {
        observe(observation, event)
        watch?.see(event, observation)
      }
      after = stored.seq
    }
    if (page.length < EVENTS_PER_PAGE) return { observation, mark, answerTo }
  }
}

async function sessionOf(
  { store }: Dependencies,
  lease: Lease,
  sessionId: string,
): Promise<Session | null> {
  const [session] = await store.sessions({ threadId: lease.threadId, sessionId })
  return session ?? null
}

async function growthOf(
  dependencies: Dependencies,
  look: { agent: Agent; session: Session | null; mark: SessionMark; sent: Sent },
): Promise<SessionGrowth> {
  const { agent, session, mark, sent } = look
  if (!session) return NOTHING_GREW
  const place = { sessionId: session.sessionId, workDir: session.workDir, env: agent.fullEnv }
  return agent.adapter.growth(place, mark, sent, dependencies.files)
}

/** An agent that is gone from this machine must not keep its runs from ending. */
function unlessMissing(error: unknown): null {
  if (error instanceof RepriseError) return null
  throw error
}

function died(message: string, toolsRan: number): Failure {
  const hint = 'Send the next message to go on, or retry this one.'
  return { class: 'supervisor-died', message, hint, toolsRan, resetsAt: null }
}
