// The one step under everything: gather facts, decide, hold the lease, run the agent, record; again if a resume was refused.
import type { Outcome } from '../../adapters/adapter.ts'
import type { Reason } from '../../core/decide/decision.ts'
import { reasonWords } from '../../core/decide/explain.ts'
import type { AgentEvent } from '../../core/run/events.ts'
import type { Observation } from '../../core/run/observe.ts'
import { newObservation } from '../../core/run/observe.ts'
import type { Exit, Run } from '../../core/run/run.ts'
import type { SandboxChoice } from '../../core/run/sandbox.ts'
import { RepriseError } from '../../errors.ts'
import { type RunWatch, together, watchDollars, watchRun } from '../chains/watch-run.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import type { Overflow } from '../lease/backlog.ts'
import { recordKill } from '../lease/record-kill.ts'
import { mustExist } from '../must-exist.ts'
import { LiveQuestions } from '../questions/live-questions.ts'
import { LiveCopy } from '../sessions/live-copy.ts'
import { newSession } from '../sessions/new-session.ts'
import { restingProcess } from '../warm/keep-warm.ts'
import type { LiveAgent } from '../warm/live-agent.ts'
import { whetherKept } from '../warm/may-stay.ts'
import type { Entered } from '../workspaces/enter-workspace.ts'
import { enterForRun, leaveAfterRun } from '../workspaces/run-in-workspace.ts'
import { EventLog } from './event-log.ts'
import type { Plan, Refusal } from './plan.ts'
import { makePlan } from './plan.ts'
import {
  type Observed,
  type Recorded,
  type Remains,
  recordEmptyEnd,
  recordEnd,
  remainsOf,
} from './record-end.ts'
import { mayFallBack } from './refused-resume.ts'
import { runAgent } from './run-agent.ts'
import type { TurnInput } from './turn-input.ts'
import { watchExtensions } from './watch-extensions.ts'

export async function continueTurn(dependencies: Dependencies, input: TurnInput): Promise<Run> {
  let current: Current = { input, refused: null }
  for (;;) {
    const { run, next } = await runOnce(dependencies, current)
    if (next === null) return run
    input.onNext(next.runId)
    const { runId, agent, refused } = next
    current = { input: { ...input, runId, agent }, refused }
  }
}

type Current = {
  readonly input: TurnInput
  /** Set in the run that follows a refused resume: why the agent did not continue the session. */
  readonly refused: Refusal | null
}

async function runOnce(dependencies: Dependencies, { input, refused }: Current): Promise<Recorded> {
  const entered = await enterForRun(dependencies, input)
  if (entered instanceof RepriseError) return endNotEntered(dependencies, input, entered)
  const plan = await makePlan(dependencies, input, { refused, entered })
  if ('notContinued' in plan) return endNotContinued(dependencies, input, plan.notContinued)
  const log = new EventLog({
    store: dependencies.store,
    lease: input.lease,
    runId: input.runId,
    clock: dependencies.clock,
    batchMs: dependencies.timing.eventBatchMs,
    overflow: overflowOf(dependencies, input),
  })
  const executed = await execute(dependencies, input, { plan, log })
  try {
    return await settleRun(dependencies, input, { refused, entered, plan, log, executed })
  } catch (error) {
    // Nobody knows where its session stands.
    if (executed.resting) await dependencies.warm?.end(executed.resting)
    throw error
  }
}

type Ran = {
  readonly refused: Refusal | null
  readonly entered: Entered | null
  readonly plan: Plan
  readonly log: EventLog
  readonly executed: Executed
}

/** Records the end of a run. A process that rests is kept before that: the next turn needs the lease to use it, and the end frees the lease. */
async function settleRun(
  dependencies: Dependencies,
  input: TurnInput,
  ran: Ran,
): Promise<Recorded> {
  const { refused, entered, plan, log, executed } = ran
  // Before the end is recorded: a run that is over has its files where other hosts find them.
  const notice = entered && (await leaveAfterRun(dependencies, input, { entered, run: plan.run }))
  if (notice) log.push(notice)
  const unwritten = await log.takeRest()
  const remains = await remainsOf(dependencies, input, plan, executed.observation)
  await forgetOtherVersion(dependencies, input.agent, executed.observation)
  await keepResting(dependencies, input, { ran, remains })
  const observed = { ...executed, remains, unwritten }
  const fallsBack = mayFallBack(input.settings, { refused, decision: plan.decision })
  return recordEnd(dependencies, input, { plan, observed, mayFallBack: fallsBack })
}

async function keepResting(
  dependencies: Dependencies,
  { agent, lease }: TurnInput,
  { ran, remains }: { readonly ran: Ran; readonly remains: Remains },
): Promise<void> {
  const { plan, executed } = ran
  const { resting: live, observation } = executed
  const { spec, filesKey } = plan
  if (live === null || filesKey === null) return
  const { threadId } = lease
  const resting = { live, threadId, agent, spec, filesKey, observation, remains }
  const kept = await restingProcess(dependencies, resting)
  if (kept) dependencies.warm?.keep(kept)
  else await dependencies.warm?.end(live)
}

function overflowOf({ spool }: Dependencies, { runId, lease, stop }: TurnInput): Overflow | null {
  if (spool === undefined) return null
  const { afterMs } = spool
  return { afterMs, open: () => spool.open({ runId, lease }), onFull: () => stop('spool-full') }
}

/** There is no work tree, so no process starts. */
async function endNotEntered(
  dependencies: Dependencies,
  { runId, lease }: TurnInput,
  { message, hint }: RepriseError,
): Promise<Recorded> {
  const run = await mustExist(dependencies.store.run(runId), `run ${runId}`)
  const failure = { class: 'spawn-failed', message, hint, toolsRan: 0, resetsAt: null } as const
  return recordEmptyEnd(dependencies, lease, { run, status: 'failed', failure })
}

/** Ends a turn before any process starts. */
async function endNotContinued(
  dependencies: Dependencies,
  { runId, lease }: TurnInput,
  reason: Reason,
): Promise<Recorded> {
  const run = await mustExist(dependencies.store.run(runId), `run ${runId}`)
  const failure = {
    class: 'not-continued',
    message: `there is no session to go on with (${reasonWords(reason)}), and tools have run: the work must not begin again by itself`,
    hint: 'Run `reprise jobs show` to see what was done. To begin all the same: `reprise jobs retry`.',
    toolsRan: 0,
    resetsAt: null,
  } as const
  return recordEmptyEnd(dependencies, lease, { run, status: 'failed', failure })
}

type Executed = Pick<Observed, 'observation' | 'exit' | 'outcome'> & {
  /** The process, if it waits for another turn. */
  readonly resting: LiveAgent | null
}

/** A process that stays has ended its turn in order. */
const STAYED: Exit = { code: 0, signal: null, endedBy: null, stderr: '', outputCut: false }

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
    dependencies.warm?.count(plan.kept ? 'warm' : 'new')
    const { observation, exit, resting } = await runAgent(dependencies, {
      spec: plan.spec,
      kept: plan.kept,
      whetherKept: (live, seen) => keptAfter(dependencies, { agent, plan, live, seen }),
      limits: { ...dependencies.limits, ...input.settings.limits },
      containment: plan.containment,
      agent,
      log,
      onSession: event => announce(dependencies, input, { plan, event }),
      onStarted: input.onStarted,
      recordKill: reason => recordKill(dependencies, { lease, runId, reason }),
      questions: new LiveQuestions(dependencies, input, plan),
      copy: dependencies.vault.isShared
        ? new LiveCopy(dependencies, agent, { workDir: plan.spec.workDir, lease })
        : null,
      watch,
      callFirst: plan.callFirst,
    })
    const seen = agent.adapter.outcomeOf(plan.spec, observation, exit ?? STAYED)
    const outcome = stoppedOr(seen, watch, observation)
    if (resting === null || outcome.kind === 'completed') {
      return { observation, exit, outcome, resting }
    }
    await dependencies.warm?.end(resting)
    return { observation, exit, outcome, resting: null }
  } catch (error) {
    if (!(error instanceof RepriseError) || !START_ERRORS.has(error.code)) throw error
    const { message, hint } = error
    const failure = { class: 'spawn-failed', message, hint, toolsRan: 0, resetsAt: null } as const
    const outcome = { kind: 'failed', failure } as const
    return { observation: newObservation(), exit: null, outcome, resting: null }
  }
}

/** Whether a process that has answered waits for another turn. */
async function keptAfter(
  dependencies: Dependencies,
  {
    agent,
    plan,
    live,
    seen,
  }: {
    readonly agent: Agent
    readonly plan: Plan
    readonly live: LiveAgent
    readonly seen: Observation
  },
): ReturnType<typeof whetherKept> {
  const { spec, mark, source, decision, filesKey } = plan
  if (filesKey === null || seen.announcedSessionId === null) return 'ends'
  const sessionId = seen.announcedSessionId
  const workDir = decision.action === 'resume' && source ? source.workDir : spec.workDir
  const session = { sessionId, workDir }
  return whetherKept(dependencies, { live, agent, spec, observation: seen, mark, session })
}

function refusedSandbox({ message, hint }: Extract<SandboxChoice, { kind: 'refuse' }>) {
  return new RepriseError('agent-unusable', message, hint)
}

function watchOf(
  dependencies: Dependencies,
  { agent, budgetUsd, settings }: TurnInput,
  run: Run,
): RunWatch | null {
  if (budgetUsd === undefined) return null
  const left = { leftUsd: budgetUsd, spentByJobUsd: settings.spentByJobUsd }
  return watchDollars(dependencies, left, { run, agent })
}

const START_ERRORS: ReadonlySet<string> = new Set(['agent-missing', 'agent-unusable', 'bad-input'])

/** Stores the session only if the agent chose its id; a resume, also of a session that we wrote, that names another id is a refusal. */
async function announce(
  dependencies: Dependencies,
  { agent, lease, runId }: TurnInput,
  { plan, event }: { plan: Plan; event: Extract<AgentEvent, { type: 'session' }> },
): Promise<void> {
  const { continuation, workDir, model } = plan.spec
  if (continuation.kind === 'resume' || continuation.kind === 'written') return
  if (continuation.sessionId === event.sessionId) return
  const situation = { agent, threadId: lease.threadId, workDir, model }
  const { decision, source, instructionsHash: hash } = plan
  const id = dependencies.random.id('ses')
  const session = newSession(id, event.sessionId, {
    situation,
    decision,
    source,
    instructions: { hash },
    written: null,
  })
  await dependencies.store.announceSession(lease, runId, session)
}

/** If a watch stopped the run, its reason is the outcome, even if the agent ended by itself first. */
function stoppedOr(outcome: Outcome, watch: RunWatch | null, { toolsRan }: Observation): Outcome {
  if (!watch?.stopped || outcome.kind === 'cancelled') return outcome
  return { kind: 'failed', failure: { ...watch.stopped, toolsRan, resetsAt: null } }
}

/**
 * A wrapper script stays the same when the program behind it changes, so Reprise probes it again. A program that ended
 * without a word may be one that does not know a flag of the version before.
 */
async function forgetOtherVersion(
  { store }: Dependencies,
  { runtime }: Agent,
  { version, sawAnyEvent }: Observation,
): Promise<void> {
  const isSame = version === null ? sawAnyEvent : version === runtime.version
  if (!isSame) await store.forgetRuntime(runtime.executable)
}
