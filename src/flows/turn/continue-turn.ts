// The one step under everything: gather facts, decide, hold the lease, run the agent, record. Once more if a resume was refused.
import { NOTHING_GREW, type Outcome, type SessionGrowth } from '../../adapters/adapter.ts'
import type { TurnEvent } from '../../api.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Reason } from '../../core/decide/decision.ts'
import { reasonWords } from '../../core/decide/explain.ts'
import type { AgentEvent } from '../../core/run/events.ts'
import type { Observation } from '../../core/run/observe.ts'
import { newObservation } from '../../core/run/observe.ts'
import type { Exit, Run } from '../../core/run/run.ts'
import type { SandboxChoice } from '../../core/run/sandbox.ts'
import { RepriseError } from '../../errors.ts'
import type { NewEvent } from '../../store/contract/records.ts'
import { sandboxNotices } from '../agents/choose-sandbox.ts'
import { supervisor, verdictOf } from '../chains/tier-context.ts'
import { type RunWatch, together, watchDollars, watchRun } from '../chains/watch-run.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { LiveQuestions } from '../questions/live-questions.ts'
import { newSession } from '../sessions/new-session.ts'
import { SESSION_FAULTS } from '../sessions/session-change.ts'
import { keepSession } from '../sessions/session-copy.ts'
import { EventLog, withoutSecrets } from './event-log.ts'
import type { Finished } from './finished.ts'
import type { Plan } from './plan.ts'
import { makePlan } from './plan.ts'
import { runAgent } from './run-agent.ts'
import { emptyEnd, parkedQuestion, settle } from './settle.ts'
import type { TurnInput } from './turn-input.ts'
import { watchExtensions } from './watch-extensions.ts'

export async function continueTurn(dependencies: Dependencies, input: TurnInput): Promise<Run> {
  let current: Current = { input, refused: null }
  for (;;) {
    const { run, next } = await runOnce(dependencies, current)
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

async function runOnce(dependencies: Dependencies, { input, refused }: Current): Promise<Ended> {
  const plan = await makePlan(dependencies, input, refused)
  if ('notContinued' in plan) return endNotContinued(dependencies, input, plan.notContinued)
  const log = new EventLog({
    store: dependencies.store,
    lease: input.lease,
    runId: input.runId,
    clock: dependencies.clock,
    batchMs: dependencies.timing.eventBatchMs,
  })
  input.emit({ type: 'started', runId: input.runId, decision: plan.decision })
  for (const notice of sandboxNotices(plan.sandbox)) input.emit(notice)
  const ended = await execute(dependencies, input, { plan, log })
  const unwritten = await log.takeRest()
  const mayFallBack = refused === null && !input.mustContinue
  return record(dependencies, input, { plan, ...ended, unwritten, mayFallBack })
}

/** A turn that ends before anything is started. */
async function endNotContinued(
  { store, clock }: Dependencies,
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
  dependencies: Dependencies,
  input: TurnInput,
  { plan, log }: { plan: Plan; log: EventLog },
): Promise<Executed> {
  const { agent, lease, runId } = input
  const { tierContext, run } = plan
  const watch = together([
    tierContext
      ? watchRun(dependencies, tierContext, { run, agent })
      : watchOf(dependencies, input, run),
    watchExtensions(run, agent, tierContext?.chain.mandate.policy ?? null),
  ])
  try {
    if (plan.sandbox.kind === 'refuse') throw refusedSandbox(plan.sandbox)
    const { observation, exit } = await runAgent(dependencies, {
      spec: plan.spec,
      containment: plan.containment,
      agent,
      log,
      emit: input.emit,
      onSession: event => announce(dependencies, input, { plan, event }),
      onStarted: stop => {
        input.onStarted(stop)
        // Nothing else is to be done until the agent says something.
        prepareCopy(dependencies, plan)
      },
      recordKill: reason => dependencies.store.recordKill(lease, runId, reason),
      questions: new LiveQuestions(dependencies, input, plan.granted),
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

function watchOf(
  dependencies: Dependencies,
  { agent, budgetUsd }: TurnInput,
  run: Run,
): RunWatch | null {
  return budgetUsd === undefined ? null : watchDollars(dependencies, budgetUsd, { run, agent })
}

/** An agent needs a while until it says something: time in which its session's copy is made ready to go on. */
function prepareCopy({ vault }: Dependencies, { decision, source }: Plan): void {
  vault.prepare(decision.action === 'resume' ? source : null).catch(() => {
    // What is wrong with it is seen again when it is to be continued.
  })
}

const START_ERRORS: ReadonlySet<string> = new Set(['agent-missing', 'agent-unusable', 'bad-input'])

/** Only an id that the agent chose itself is news; a resume that names another one is a refusal. */
async function announce(
  dependencies: Dependencies,
  { agent, lease, runId }: TurnInput,
  { plan, event }: { plan: Plan; event: Extract<AgentEvent, { type: 'session' }> },
): Promise<void> {
  const { continuation, workDir, model } = plan.spec
  if (continuation.kind === 'resume' || continuation.sessionId === event.sessionId) return
  const situation = { agent, threadId: lease.threadId, workDir, model }
  const { decision, source, instructionsHash: hash } = plan
  const id = dependencies.random.id('ses')
  const session = newSession(id, event.sessionId, {
    situation,
    decision,
    source,
    instructions: { hash },
  })
  await dependencies.store.announceSession(lease, runId, session)
}

async function record(
  dependencies: Dependencies,
  input: TurnInput,
  ended: Executed & { plan: Plan; unwritten: readonly NewEvent[]; mayFallBack: boolean },
): Promise<Ended> {
  const { plan, outcome, observation } = ended
  const { tierContext, run } = plan
  const refusal = ended.mayFallBack ? refusalOf(dependencies, plan, outcome) : null
  const { session, growth } = await sessionToChange(dependencies, input, ended)
  await forgetOtherVersion(dependencies, input.agent, observation)
  const verdict = tierContext && verdictOf(tierContext, outcome, observation)
  const asking = {
    run,
    agent: input.agent,
    outcome,
    verdict,
    nextRunId: dependencies.random.id('run'),
  }
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
    now: dependencies.clock.now(),
    expireAfterMs: dependencies.questions.expireAfterMs,
    answerId: dependencies.random.id('msg'),
    restatedId: dependencies.random.id('msg'),
    nextRunId: refusal?.runId ?? null,
    verdict: verdict?.read === 'verdict' ? verdict.verdict : null,
    supervise: tierContext && supervisor(dependencies, tierContext, asking),
    unwritten: ended.unwritten,
  }
  const step = await dependencies.store.endRun(input.lease, settle(finished))
  const parked = parkedQuestion(finished)
  if (parked) input.emit(withoutSecrets(parked, input.agent.secrets))
  if (session && growth.grew) {
    await keepSession(dependencies, input.agent, { session, path: plan.mark.path })
  }
  const settled = await mustExist(dependencies.store.run(input.runId), `run ${input.runId}`)
  if (refusal) input.emit(fallbackEvent(input, plan, refusal))
  if (refusal || step === null) return { run: settled, next: refusal }
  const nextRunId = step.kind === 'end' ? null : asking.nextRunId
  input.emit({ type: 'supervised', run: settled, step, nextRunId })
  return { run: settled, next: nextRunId === null ? null : { runId: nextRunId, refused: null } }
}

function fallbackEvent({ runId }: TurnInput, { tierContext }: Plan, refusal: Refusal): TurnEvent {
  const what = tierContext ? 'a handover note' : 'the transcript'
  const words = `${reasonWords(refusal.refused)}; the turn goes on in a new session with ${what}`
  return { type: 'fallback', runId, nextRunId: refusal.runId, words }
}

/** What we stopped it for counts, also when it managed to end by itself. */
function stoppedOr(outcome: Outcome, watch: RunWatch | null, { toolsRan }: Observation): Outcome {
  if (!watch?.stopped || outcome.kind === 'cancelled') return outcome
  return { kind: 'failed', failure: { ...watch.stopped, toolsRan, resetsAt: null } }
}

/** Once, only when the agent refused the session, and only when no tool ran. */
function refusalOf(dependencies: Dependencies, plan: Plan, outcome: Outcome): Refusal | null {
  if (outcome.kind !== 'failed' || outcome.failure.toolsRan > 0) return null
  const { class: kind, message: detail } = outcome.failure
  if (kind !== 'resume-refused' && kind !== 'anchor-missing') return null
  const sessionId = plan.source?.sessionId ?? ''
  const refused = { code: 'resume-refused', sessionId, detail } as const
  return { runId: dependencies.random.id('run'), refused }
}

type Changed = { readonly session: Session | null; readonly growth: SessionGrowth }

/** A fork that left nothing speaks against the session it was to be cut from, not against the copy that never came to be. */
async function sessionToChange(
  dependencies: Dependencies,
  input: TurnInput,
  { plan, outcome }: Executed & { plan: Plan },
): Promise<Changed> {
  if (wasRefused(outcome)) return { session: plan.source, growth: NOTHING_GREW }
  const session = await sessionOfRun(dependencies, input, plan)
  const growth = await growthOf(dependencies, input, { plan, session })
  const blames = outcome.kind !== 'completed' && SESSION_FAULTS.includes(outcome.failure.class)
  const isEmptyFork = plan.decision.action === 'fork' && !growth.holdsPrompt
  return blames && isEmptyFork
    ? { session: plan.source, growth: NOTHING_GREW }
    : { session, growth }
}

async function sessionOfRun(
  { store }: Dependencies,
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
  { store }: Dependencies,
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
  dependencies: Dependencies,
  { agent }: TurnInput,
  { plan, session }: { plan: Plan; session: Session | null },
): Promise<SessionGrowth> {
  if (!session) return NOTHING_GREW
  const { sessionId, workDir } = session
  const place = { sessionId, workDir, env: agent.fullEnv }
  return agent.adapter.growth(place, plan.mark, plan.sent, dependencies.files)
}
