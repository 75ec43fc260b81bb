// After a crash: runs whose process died end as `interrupted`, with all that the store and the session file still know.
import {
  NOTHING_GREW,
  NOTHING_MARKED,
  type Outcome,
  type Sent,
  type SessionGrowth,
  type SessionMark,
} from '../adapters/adapter.ts'
import { viewOf } from '../core/messages.ts'
import { newObservation, type Observation, observe } from '../core/observe.ts'
import type { Failure, Run } from '../core/run.ts'
import type { Session } from '../core/session.ts'
import { RepriseError } from '../errors.ts'
import type { Lease, OrphanCandidate } from '../store/store.ts'
import { findAgent } from './agents.ts'
import { expireQuestions } from './answers.ts'
import { conductOf } from './conduct.ts'
import type { LoggedEvent } from './event-log.ts'
import { hashOfInstructions } from './instructions.ts'
import type { LiveRuns } from './live-runs.ts'
import { mustExist } from './must-exist.ts'
import type { Agent, Parts } from './parts.ts'
import { beforePrompt } from './plan.ts'
import { keepSession } from './session-copy.ts'
import { emptyEnd, settle } from './settle.ts'
import { type RunWatch, watchRun } from './watch-run.ts'

const EVENTS_PER_PAGE = 1_000

/**
 * Gives the runs that were ended. Safe to call at any time, from any process. A queued turn that a dead process
 * kept for its follower is left alone, unless somebody waits behind it in `waitingOn`, a thread.
 */
export async function recover(
  parts: Parts,
  live: LiveRuns,
  waitingOn: string | null = null,
): Promise<readonly string[]> {
  await expireQuestions(parts)
  const ended: string[] = []
  for (const candidate of await parts.store.openRuns()) {
    if (!isOrphan(parts, candidate)) continue
    if (isKept(candidate) && candidate.run.threadId !== waitingOn) continue
    if (await recoverOne(parts, live, candidate)) ended.push(candidate.run.id)
  }
  return ended
}

/** Queued turns that a dead process kept: from now on they are ours, and the caller runs them. */
export async function adoptQueue(parts: Parts): Promise<readonly Run[]> {
  const adopted: Run[] = []
  for (const candidate of await parts.store.openRuns()) {
    if (!isKept(candidate) || !isOrphan(parts, candidate)) continue
    const { run, owner } = candidate
    if (await parts.store.adoptQueued(run.id, owner, parts.owner)) adopted.push(run)
  }
  return adopted
}

function isKept({ run, owner }: OrphanCandidate): boolean {
  // An attempt of a job is for whoever takes the job next.
  return run.status === 'queued' && owner.keepsQueue === true && run.jobId === null
}

/** On this host the process tells; elsewhere only its lease can. */
function isOrphan(parts: Parts, { owner, expired }: OrphanCandidate): boolean {
  const alive = parts.isAlive(owner)
  return alive === null ? expired : !alive
}

async function recoverOne(
  parts: Parts,
  live: LiveRuns,
  { run, owner }: OrphanCandidate,
): Promise<boolean> {
  if (run.status === 'queued') {
    const failure = died('The process that had queued this turn ended before its turn came.', 0)
    return parts.store.abandonQueued(run.id, owner, failure, parts.clock.now())
  }
  const lease = await parts.store.takeOver(run.id, owner, parts.owner, parts.timing.leaseMs)
  if (!lease) return false
  const words = 'The process that supervised this run died before the run ended.'
  // From here on it is ours: an end that cannot be written now must be written later.
  return live.writeEnd(run.id, async () => {
    // Before the session is looked at: nothing may still be writing to it.
    await parts.runner.endLeftovers(run.id)
    await endInterrupted(parts, { run, lease, failure: died(words, 0) })
  })
}

/** Ends a run of which only the store and the session file can still tell something. */
export async function endInterrupted(
  parts: Parts,
  { run, lease, failure: known }: { run: Run; lease: Lease; failure: Failure },
): Promise<void> {
  const agent = await findAgent(parts, run.agent).catch(unlessMissing)
  const conduct = agent && (await conductOf(parts, run, agent))
  const watch = agent && conduct && watchRun(parts, conduct, { run, agent })
  const { observation, mark, answerTo } = await readEvents(parts, run.id, watch)
  // The stop was recorded before its first signal.
  observation.stopBegan = run.exit !== null
  const prompt = await mustExist(parts.store.message(run.promptMessageId ?? ''), 'the prompt')
  const thread = await mustExist(parts.store.thread(lease.threadId), `thread ${lease.threadId}`)
  const branch = await parts.store.branch(lease.threadId)
  const session = run.sessionId ? await sessionOf(parts, lease, run.sessionId) : null
  const restatedId = parts.random.id('msg')
  if (!run.decision || !agent) {
    const failure = { ...known, toolsRan: observation.toolsRan }
    const end = emptyEnd(run, { status: 'interrupted', failure, now: parts.clock.now() })
    await parts.store.endRun(lease, { ...end, restatedId })
    return
  }
  const sent = answerTo === null ? { prompt: prompt.text } : { answerTo }
  const growth = await growthOf(parts, { agent, session, mark, sent })
  const unheard = growth.tools.filter(tool => !observation.tools.has(tool.id)).length
  const failure = { ...known, toolsRan: observation.toolsRan + unheard }
  if (watch) seeUnheard(watch, observation, { growth, agent })
  const end = settle({
    run,
    agent,
    decision: run.decision,
    view: viewOf(beforePrompt(branch, prompt), thread.view, run.agent),
    prompt,
    instructionsHash: hashOfInstructions(await parts.store.instructionsOf(run.id)),
    session,
    observation,
    sent,
    mark,
    growth,
    outcome: violated(watch, failure) ?? { kind: 'interrupted', failure },
    exit: null,
    now: parts.clock.now(),
    expireAfterMs: parts.questions.expireAfterMs,
    answerId: parts.random.id('msg'),
    restatedId,
    nextRunId: null,
    verdict: null,
    supervise: null,
    unwritten: [],
  })
  await parts.store.endRun(lease, end)
  if (session && growth.grew) await keepSession(parts, agent, { session, path: mark.path })
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

/** E-5: a tool that left its tier is told, also when nobody lived to stop it. */
function violated(watch: RunWatch | null, { toolsRan, resetsAt }: Failure): Outcome | null {
  if (watch?.stopped?.class !== 'policy-violation') return null
  return { kind: 'failed', failure: { ...watch.stopped, toolsRan, resetsAt } }
}

async function readEvents(parts: Parts, runId: string, watch: RunWatch | null) {
  const observation = newObservation()
  let mark: SessionMark = NOTHING_MARKED
  let answerTo: string | null = null
  let after = 0
  for (;;) {
    const page = await parts.store.events(runId, after, EVENTS_PER_PAGE)
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
  { store }: Parts,
  lease: Lease,
  sessionId: string,
): Promise<Session | null> {
  const [session] = await store.sessions({ threadId: lease.threadId, sessionId })
  return session ?? null
}

async function growthOf(
  parts: Parts,
  look: { agent: Agent; session: Session | null; mark: SessionMark; sent: Sent },
): Promise<SessionGrowth> {
  const { agent, session, mark, sent } = look
  if (!session) return NOTHING_GREW
  const place = { sessionId: session.sessionId, workDir: session.workDir, env: agent.fullEnv }
  return agent.adapter.growth(place, mark, sent, parts.files)
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
