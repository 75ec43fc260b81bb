// The one step under everything: gather facts, decide, hold the lease, run the agent, record. Once more if a resume was refused.
import { NOTHING_GREW, type Outcome, type SessionGrowth } from '../adapters/adapter.ts'
import type { TurnEvent } from '../api.ts'
import type { Reason } from '../core/decision.ts'
import type { AgentEvent } from '../core/events.ts'
import { reasonWords } from '../core/explain.ts'
import type { Observation } from '../core/observe.ts'
import { newObservation } from '../core/observe.ts'
import type { Exit, Run } from '../core/run.ts'
import type { SandboxChoice } from '../core/sandbox.ts'
import type { Session } from '../core/session.ts'
import { RepriseError } from '../errors.ts'
import type { NewEvent } from '../store/store.ts'
import { supervisor, verdictOf } from './conduct.ts'
import { noticesOf } from './contain-run.ts'
import { EventLog, withoutSecrets } from './event-log.ts'
import type { Finished } from './finished.ts'
import { LiveQuestions } from './live-questions.ts'
import { mustExist } from './must-exist.ts'
import { newSession } from './new-session.ts'
import type { Agent, Parts } from './parts.ts'
import type { Plan } from './plan.ts'
import { makePlan } from './plan.ts'
import { runAgent } from './run-agent.ts'
import { SESSION_FAULTS } from './session-change.ts'
import { keepSession } from './session-copy.ts'
import { emptyEnd, parkedCall, settle } from './settle.ts'
import type { TurnInput } from './turn-input.ts'
import { type RunWatch, together, watchDollars, watchRun } from './watch-run.ts'
import { watchStrangers } from './watch-strangers.ts'

export async function continueTurn(parts: Parts, input: TurnInput): Promise<Run> {
  let current: Current = { input, refused: null }
  for (;;) {
    const { run, next } = await runOnce(parts, current)
    if (next === null) return run
    input.onNext(next.runId)
    current = { input: { ...input, runId: next.runId }, refused: next.refused }
  }
}

type Current = {
  readonly input: TurnInput
  /** Why the agent did not continue the session, in the run that does without it. */
  readonly refused: Reason | null
}
type Next = { readonly runId: string; readonly refused: Reason | null }
type Ended = { readonly run: Run; readonly next: Next | null }
type Refusal = { readonly runId: string; readonly refused: Reason }

async function runOnce(parts: Parts, { input, refused }: Current): Promise<Ended> {
  const plan = await makePlan(parts, input, refused)
  if ('notContinued' in plan) return endNotContinued(parts, input, plan.notContinued)
  const log = new EventLog({
    store: parts.store,
    lease: input.lease,
    runId: input.runId,
    clock: parts.clock,
    batchMs: parts.timing.eventBatchMs,
  })
  input.emit({ type: 'started', runId: input.runId, decision: plan.decision })
  for (const notice of noticesOf(plan.sandbox)) input.emit(notice)
  const ended = await execute(parts, input, { plan, log })
  const unwritten = await log.takeRest()
  const mayFallBack = refused === null && !input.mustContinue
  return record(parts, input, { plan, ...ended, unwritten, mayFallBack })
}

/** F-3: nothing is started. */
async function endNotContinued(
  { store, clock }: Parts,
  { runId, lease }: TurnInput,
  reason: Reason,
): Promise<Ended> {
  const run = await mustExist(store.run(runId), `run ${runId}`)
  const failure = {
    class: 'not-continued',
    message: `there is no session to go on with (${reasonWords(reason)}), and tools have run: the work must not begin again by itself`,
    hint: 'Look at what was done. To begin all the same: reprise jobs retry.',
    toolsRan: 0,
    resetsAt: null,
  } as const
  await store.endRun(lease, emptyEnd(run, { status: 'failed', failure, now: clock.now() }))
  return { run: await mustExist(store.run(runId), `run ${runId}`), next: null }
}

type Executed = {
  readonly observation: Observation
  readonly exit: Exit | null
  readonly outcome: Outcome
}

async function execute(
  parts: Parts,
  input: TurnInput,
  { plan, log }: { plan: Plan; log: EventLog },
): Promise<Executed> {
  const { agent, lease, runId } = input
  const { conduct, run } = plan
  const watch = together([
    conduct ? watchRun(parts, conduct, { run, agent }) : watchOf(parts, input, run),
    watchStrangers(run, agent, conduct?.chain.mandate.policy ?? null),
  ])
  try {
    if (plan.sandbox.kind === 'refuse') throw refusedSandbox(plan.sandbox)
    const { observation, exit } = await runAgent(parts, {
      spec: plan.spec,
      containment: plan.containment,
      agent,
      log,
      emit: input.emit,
      onSession: event => announce(parts, input, { plan, event }),
      onStarted: stop => {
        input.onStarted(stop)
        // Nothing else is to be done until the agent says something.
        prepareCopy(parts, plan)
      },
      recordKill: reason => parts.store.recordKill(lease, runId, reason),
      questions: new LiveQuestions(parts, input, plan.granted),
      watch,
      callFirst: plan.callFirst,
    })
    const seen = agent.adapter.outcomeOf(plan.spec, observation, exit)
    return { observation, exit, outcome: stoppedOr(seen, watch, observation) }
  } catch (error) {
    if (!(error instanceof RepriseError) || !START_ERRORS.has(error.code)) throw error
    const { message, hint } = error
    const failure = { class: 'spawn-failed', message, hint, toolsRan: 0, resetsAt: null } as const
    return { observation: newObservation(), exit: null, outcome: { kind: 'failed', failure } }
  }
}

function refusedSandbox({ message, hint }: Extract<SandboxChoice, { kind: 'refuse' }>) {
  return new RepriseError('agent-unusable', message, hint)
}

function watchOf(parts: Parts, { agent, budgetUsd }: TurnInput, run: Run): RunWatch | null {
  return budgetUsd === undefined ? null : watchDollars(parts, budgetUsd, { run, agent })
}

/** An agent needs a while until it says something: time in which its session's copy is made ready to go on. */
function prepareCopy({ vault }: Parts, { decision, source }: Plan): void {
  vault.prepare(decision.action === 'resume' ? source : null).catch(() => {
    // What is wrong with it is seen again when it is to be continued.
  })
}

const START_ERRORS: ReadonlySet<string> = new Set(['agent-missing', 'agent-unusable', 'bad-input'])

/** Only an id that the agent chose itself is news; a resume that names another one is a refusal (C-3). */
async function announce(
  parts: Parts,
  { agent, lease, runId }: TurnInput,
  { plan, event }: { plan: Plan; event: Extract<AgentEvent, { type: 'session' }> },
): Promise<void> {
  const { continuation, workDir, model } = plan.spec
  if (continuation.kind === 'resume' || continuation.sessionId === event.sessionId) return
  const situation = { agent, threadId: lease.threadId, workDir, model }
  const { decision, source, instructionsHash: hash } = plan
  const id = parts.random.id('ses')
  const session = newSession(id, event.sessionId, {
    situation,
    decision,
    source,
    instructions: { hash },
  })
  await parts.store.announceSession(lease, runId, session)
}

async function record(
  parts: Parts,
  input: TurnInput,
  ended: Executed & { plan: Plan; unwritten: readonly NewEvent[]; mayFallBack: boolean },
): Promise<Ended> {
  const { plan, outcome, observation } = ended
  const { conduct, run } = plan
  const refusal = ended.mayFallBack ? refusalOf(parts, plan, outcome) : null
  const { session, growth } = await sessionToChange(parts, input, ended)
  await forgetOtherVersion(parts, input.agent, observation)
  const verdict = conduct && verdictOf(conduct, outcome, observation)
  const asking = { run, agent: input.agent, outcome, verdict, nextRunId: parts.random.id('run') }
  const finished: Finished = {
    run,
    agent: input.agent,
    decision: plan.decision,
    view: plan.view,
    prompt: plan.prompt,
    instructionsHash: plan.instructionsHash,
    session,
    observation,
    sent: plan.sent,
    mark: plan.mark,
    growth,
    outcome,
    exit: ended.exit,
    now: parts.clock.now(),
    expireAfterMs: parts.questions.expireAfterMs,
    answerId: parts.random.id('msg'),
    restatedId: parts.random.id('msg'),
    nextRunId: refusal?.runId ?? null,
    verdict: verdict?.read === 'verdict' ? verdict.verdict : null,
    supervise: conduct && supervisor(parts, conduct, asking),
    unwritten: ended.unwritten,
  }
  const step = await parts.store.endRun(input.lease, settle(finished))
  const parked = parkedCall(finished)
  if (parked) input.emit(withoutSecrets(parked, input.agent.secrets))
  if (session && growth.grew) {
    await keepSession(parts, input.agent, { session, path: plan.mark.path })
  }
  const settled = await mustExist(parts.store.run(input.runId), `run ${input.runId}`)
  if (refusal) input.emit(fallbackEvent(input, plan, refusal))
  if (refusal || step === null) return { run: settled, next: refusal }
  const nextRunId = step.kind === 'end' ? null : asking.nextRunId
  input.emit({ type: 'supervised', run: settled, step, nextRunId })
  return { run: settled, next: nextRunId === null ? null : { runId: nextRunId, refused: null } }
}

function fallbackEvent({ runId }: TurnInput, { conduct }: Plan, refusal: Refusal): TurnEvent {
  const what = conduct ? 'a handover note' : 'the transcript'
  const words = `${reasonWords(refusal.refused)}; the turn goes on in a new session with ${what}`
  return { type: 'fallback', runId, nextRunId: refusal.runId, words }
}

/** What we stopped it for counts, also when it managed to end by itself. */
function stoppedOr(outcome: Outcome, watch: RunWatch | null, { toolsRan }: Observation): Outcome {
  if (!watch?.stopped || outcome.kind === 'cancelled') return outcome
  return { kind: 'failed', failure: { ...watch.stopped, toolsRan, resetsAt: null } }
}

/** F-2 and F-3: once, only when the agent refused the session, and only when no tool ran. */
function refusalOf(parts: Parts, plan: Plan, outcome: Outcome): Refusal | null {
  if (outcome.kind !== 'failed' || outcome.failure.toolsRan > 0) return null
  const { class: kind, message: detail } = outcome.failure
  if (kind !== 'resume-refused' && kind !== 'anchor-missing') return null
  const sessionId = plan.source?.sessionId ?? ''
  const refused = { code: 'resume-refused', sessionId, detail } as const
  return { runId: parts.random.id('run'), refused }
}

type Changed = { readonly session: Session | null; readonly growth: SessionGrowth }

/** A fork that left nothing speaks against the session it was to be cut from, not against the copy that never came to be. */
async function sessionToChange(
  parts: Parts,
  input: TurnInput,
  { plan, outcome }: Executed & { plan: Plan },
): Promise<Changed> {
  if (wasRefused(outcome)) return { session: plan.source, growth: NOTHING_GREW }
  const session = await sessionOfRun(parts, input, plan)
  const growth = await growthOf(parts, input, { plan, session })
  const blames = outcome.kind !== 'completed' && SESSION_FAULTS.includes(outcome.failure.class)
  const isEmptyFork = plan.decision.action === 'fork' && !growth.holdsPrompt
  return blames && isEmptyFork
    ? { session: plan.source, growth: NOTHING_GREW }
    : { session, growth }
}

async function sessionOfRun(
  { store }: Parts,
  { runId, lease }: TurnInput,
  plan: Plan,
): Promise<Session | null> {
  if (plan.decision.action === 'resume') return plan.source
  const { sessionId } = await mustExist(store.run(runId), `run ${runId}`)
  if (sessionId === null) return null
  const [found] = await store.sessions({ threadId: lease.threadId, sessionId })
  return found ?? null
}

/** A wrapper stays the same file when the program behind it is another: what was probed of it is asked again. */
async function forgetOtherVersion(
  { store }: Parts,
  { runtime }: Agent,
  { version }: Observation,
): Promise<void> {
  if (version === null || version === runtime.version) return
  await store.forgetRuntime(runtime.executable)
}

function wasRefused(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.failure.class === 'resume-refused'
}

async function growthOf(
  parts: Parts,
  { agent }: TurnInput,
  { plan, session }: { plan: Plan; session: Session | null },
): Promise<SessionGrowth> {
  if (!session) return NOTHING_GREW
  const { sessionId, workDir } = session
  const place = { sessionId, workDir, env: agent.fullEnv }
  return agent.adapter.growth(place, plan.mark, plan.sent, parts.files)
}
