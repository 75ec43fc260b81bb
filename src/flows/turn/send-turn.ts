// From a prompt to a finished turn: check it, store it, wait for its place in the thread's queue, run it.
import type { Turn, TurnOptions, TurnResult } from '../../api.ts'
import { userMessage } from '../../core/conversation/messages.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { Failure, Run, TurnLimits } from '../../core/run/run.ts'
import { DEFAULT_SANDBOX } from '../../core/run/sandbox.ts'
import { CANCELLED_UNSTORED } from '../../core/run/send-again-hint.ts'
import { DEFAULT_TRUST, type Trust } from '../../core/run/trust.ts'
import { workspaceWords } from '../../core/run/workspace.ts'
import { namedTrace } from '../../core/trace/trace-context.ts'
import { RepriseError } from '../../errors.ts'
import type { NewTurn } from '../../store/contract/queue.ts'
import type { BranchChange } from '../../store/contract/threads.ts'
import { findAgent, inProject } from '../agents/agents.ts'
import { refuseBadCommand } from '../agents/check-options.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { lastRunOf, turnEvents } from '../follow/turn-events.ts'
import { mustExist } from '../must-exist.ts'
import { firstEnd } from '../queue/repeated-turn.ts'
import { startUnderWay, type TurnControl } from '../queue/under-way.ts'
import { type Claimed, claimInSlot, type Waiting, waitForTurn } from '../queue/wait-for-turn.ts'
import { recover } from '../recovery/recover.ts'
import {
  checkedPrompt,
  checkedText,
  checkedWorkDir,
  refuseBadBudget,
  refuseBadCarry,
} from '../threads/check-input.ts'
import { refuseElsewhere } from '../threads/refuse-elsewhere.ts'
import { type LeasedTurn, runUnderLease } from './run-under-lease.ts'
import { DEFAULT_TURN, type TurnSettings } from './turn-input.ts'

export type TurnRequest = {
  readonly thread: ThreadRecord
  readonly prompt: string
  readonly options: TurnOptions
  /** The job this turn is an attempt of. */
  readonly job?: NonNullable<NewTurn['job']>
  readonly settings?: TurnSettings
  /** The branch from which the turn continues, if it is not the thread's own (retry). */
  readonly branch?: BranchChange
}

export async function sendTurn(
  dependencies: Dependencies,
  request: TurnRequest & { control: TurnControl },
): Promise<TurnResult> {
  const { thread, options, control } = request
  if (!request.job) {
    refuseForeign(thread)
    if (options.workDir === undefined) await refuseElsewhere(dependencies, thread)
  }
  const text = checkedPrompt(request.prompt)
  // The check of the work dir and the search for the agent both read the disk, so they run in parallel.
  const checked = workDirFor(dependencies, thread, options)
  checked.catch(() => {}) // Awaited below; an error about the agent goes first.
  const found = await findAgent(dependencies, options.agent ?? thread.agent)
  const workDir = await checked
  const agent = inProject(found, await dependencies.settingsFor(workDir))
  const { job, branch } = request
  const from = { ...(job && { job }), ...(branch && { branch }) }
  const submission = { thread, options, agent, workDir, text, ...from }
  refuseBadOptions(submission)
  if (!job) refuseCancelled(control.signal)
  const { run, claimed, messageId, wasThere } = await submit(dependencies, submission)
  control.submitted({ runId: run.id, messageId })
  if (wasThere) {
    const first = await firstEnd(dependencies, run, control.signal)
    return resultOf(dependencies, first, messageId)
  }
  const find = async () => agent
  const { settings = DEFAULT_TURN } = request
  const taken = { run, claimed, thread, find, options, control, settings }
  const asked = await takeTurn(dependencies, taken)
  const ended = await lastRunOf(dependencies, asked, control.signal)
  return resultOf(dependencies, ended, messageId)
}

/** The agent would be told of a stored prompt with the next message. */
function refuseCancelled(signal: AbortSignal): void {
  const { message, hint } = CANCELLED_UNSTORED
  if (signal.aborted) throw new RepriseError('cancelled', message, hint)
}

/** The work tree of a repository is made when the run starts, on the host that runs it. */
export async function workDirFor(
  dependencies: Dependencies,
  { id, workDir, workspace }: ThreadRecord,
  { workDir: other }: Pick<TurnOptions, 'workDir'>,
): Promise<string> {
  if (workspace === null) return checkedWorkDir(dependencies, other ?? workDir)
  if (other === undefined) return dependencies.workspaces.pathOf(id)
  throw new RepriseError(
    'bad-input',
    `thread ${id} works in the repository ${workspaceWords(workspace)}, not in a directory`,
    'Leave out `workDir` (--cwd), or begin another thread.',
  )
}

/** Nobody else sends turns to the thread of a chain or a job; users can fork it. */
export function refuseForeign({ id, kind }: ThreadRecord): void {
  if (kind === 'chat') return
  throw new RepriseError(
    'conflict',
    `thread ${id} belongs to a ${kind}: nobody else talks in it or changes it`,
    `Go on in a copy of it: reprise threads fork ${id}.`,
  )
}

/** Runs a turn that a process stored before it died. Nobody iterates over it; its events are in the store. */
export async function runQueued(dependencies: Dependencies, run: Run): Promise<void> {
  const control = { signal: new AbortController().signal }
  await runStored(dependencies, { run, control })
}

/** Runs the answer to a question as a turn of its own, because the process that asked is gone. */
export function runReply(dependencies: Dependencies, run: Run): Turn {
  return startUnderWay(
    control =>
      dependencies.live.during(async () => {
        const messageId = run.promptMessageId ?? ''
        control.submitted({ runId: run.id, messageId })
        return resultOf(dependencies, await runStored(dependencies, { run, control }), messageId)
      }),
    (runId, over) => turnEvents(async () => dependencies, runId, over),
  )
}

async function runStored(
  dependencies: Dependencies,
  { run, control }: { run: Run; control: Pick<TurnControl, 'signal'> },
): Promise<Run> {
  const thread = await mustExist(
    dependencies.store.thread(run.threadId ?? ''),
    `thread ${run.threadId}`,
  )
  const options = await limitsLeft(dependencies, run)
  const find = () => findAgent(dependencies, run.agent)
  const turn = { run, claimed: null, thread, find, options, control }
  const asked = await takeTurn(dependencies, turn)
  return lastRunOf(dependencies, asked, control.signal)
}

/** The budget belongs to the turn: this subtracts what the run that asked has used. */
async function limitsLeft({ store }: Dependencies, run: Run): Promise<TurnLimits> {
  const limits = await store.limitsOf(run.id)
  if (limits.budgetUsd === undefined || run.repliesTo === null) return limits
  let leftUsd = limits.budgetUsd
  let { parentRunId } = run
  while (parentRunId !== null) {
    const parent: Run = await mustExist(store.run(parentRunId), `run ${parentRunId}`)
    leftUsd -= parent.costUsd ?? 0
    parentRunId = parent.parentRunId
  }
  return { ...limits, budgetUsd: Math.max(0, leftUsd) }
}

async function resultOf(
  dependencies: Dependencies,
  run: Run,
  messageId: string,
): Promise<TurnResult> {
  const text = await answerOf(dependencies, run)
  return { run, threadId: run.threadId ?? '', messageId, text }
}

export async function answerOf(
  { store }: Dependencies,
  { answerMessageId }: Pick<Run, 'answerMessageId'>,
): Promise<string> {
  const answer = answerMessageId ? await store.message(answerMessageId) : null
  return answer?.text ?? ''
}

export async function takeTurn(
  dependencies: Dependencies,
  turn: Omit<LeasedTurn, keyof Claimed> & Omit<Waiting, 'place'> & { claimed: Claimed | null },
): Promise<Run> {
  const place = dependencies.live.queue.join(turn.run.threadId ?? '', turn.run.id)
  try {
    const claimed = turn.claimed ?? (await waitForTurn(dependencies, { ...turn, place }))
    try {
      return await runUnderLease(dependencies, { ...turn, ...claimed })
    } finally {
      claimed.slot.release()
    }
  } finally {
    place.leave()
  }
}

type Submission = {
  readonly thread: ThreadRecord
  readonly options: TurnOptions
  readonly agent: Agent
  readonly workDir: string
  readonly text: string
} & Pick<NewTurn, 'job' | 'branch'>

async function submit(
  dependencies: Dependencies,
  { thread, options, agent, workDir, text, job, branch }: Submission,
): Promise<{ run: Run; claimed: Claimed | null; messageId: string; wasThere: boolean }> {
  const now = dependencies.clock.now()
  const runId = dependencies.random.id('run')
  const message = userMessage({ id: dependencies.random.id('msg'), text, runId, createdAt: now })
  const turn = {
    run: {
      id: runId,
      threadId: thread.id,
      ...settingsOfRun({ thread, options, agent, workDir }),
    },
    message,
    owner: dependencies.owner,
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    limits: limitsOf(options),
    thread: {
      title: thread.title ?? titleOf(text),
      agent: agent.name,
      workDir,
      host: thread.workspace === null ? dependencies.owner.host : null,
    },
    ...(job && { job }),
    ...(branch && { branch }),
    ...(options.key && { key: options.key }),
    // The attempts of a job belong to the trace of the job.
    trace: job ? null : (namedTrace(options) ?? dependencies.tracing.current()),
  }
  const { run, claimed } = await storedPastDead(dependencies, { turn, now })
  const wasThere = run.id !== runId
  return { run, claimed, messageId: run.promptMessageId ?? message.id, wasThere }
}

/** What the turn's options, its thread and its agent say about its run. */
export function settingsOfRun({
  thread,
  options,
  agent,
  workDir,
}: Pick<Submission, 'thread' | 'options' | 'agent' | 'workDir'>) {
  return {
    agent: agent.name,
    model: options.model ?? agent.model,
    workDir,
    permissionMode: options.permissionMode ?? agent.permissionMode,
    allowedTools: options.allowedTools ?? [],
    disallowedTools: options.disallowedTools ?? [],
    trust: trustOf({ options, thread, agent }),
    sandboxWanted: options.sandbox ?? thread.sandbox ?? agent.sandbox ?? DEFAULT_SANDBOX,
    freshSession: options.freshSession ?? false,
    questions: options.questions ?? ('none' as const),
  }
}

function limitsOf({ maxTurns, budgetUsd, carry }: TurnOptions): TurnLimits {
  return {
    ...(carry !== undefined && { carry }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(budgetUsd !== undefined && { budgetUsd }),
  }
}

/** The store refuses a turn with its own branch while other runs are open, so runs of dead processes are ended first. */
async function storedPastDead(
  dependencies: Dependencies,
  asked: { turn: NewTurn; now: number },
): Promise<{ run: Run; claimed: Claimed | null }> {
  try {
    return await stored(dependencies, asked)
  } catch (error) {
    const isBusy = error instanceof RepriseError && error.code === 'busy'
    if (!isBusy || !asked.turn.branch) throw error
    if ((await recover(dependencies, asked.turn.run.threadId)).length === 0) throw error
    return stored(dependencies, asked)
  }
}

async function stored(
  dependencies: Dependencies,
  { turn, now }: { turn: NewTurn; now: number },
): Promise<{ run: Run; claimed: Claimed | null }> {
  const { store, owner, live } = dependencies
  // A process that closes runs no more turns, but stores them for others.
  if (live.closing.aborted) return { run: await store.submitTurn(turn, now), claimed: null }
  try {
    const {
      stored: { run },
      claimed,
    } = await claimInSlot(dependencies, async slot =>
      'noSlot' in slot
        ? { run: await store.submitTurn(turn, now, slot.noSlot), lease: null }
        : store.submitAndClaim(turn, now, slot.leaseMs),
    )
    return { run, claimed }
  } catch (error) {
    // The turn may be stored despite the error: then it must not block the queue.
    const failure = notStored(error)
    await live.writeEnd(turn.run.id, async () => {
      await store.abandonQueued(turn.run.id, owner, failure, now)
    })
    throw error
  }
}

function notStored(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error)
  const hint = 'Run `reprise doctor` to check the store, then send the prompt again.'
  return { class: 'supervisor-died', message, hint, toolsRan: 0, resetsAt: null }
}

/** Throws before anything is stored or changed. */
export function refuseBadOptions({
  agent,
  options,
  thread,
  workDir,
}: Pick<Submission, 'agent' | 'options' | 'workDir'> & Trusting): void {
  refuseBadBudget(options.budgetUsd)
  refuseBadCarry(options.carry)
  if (options.instructions !== undefined) checkedText('instructions', options.instructions)
  refuseBadCommand(agent, {
    workDir,
    model: options.model ?? agent.model,
    permissionMode: options.permissionMode ?? agent.permissionMode,
    allowedTools: options.allowedTools ?? [],
    disallowedTools: options.disallowedTools ?? [],
    ...(options.maxTurns !== undefined && { maxTurns: options.maxTurns }),
    trust: trustOf({ options, thread, agent }),
  })
}

type Trusting = {
  readonly options: Pick<TurnOptions, 'trust'>
  readonly thread: Pick<ThreadRecord, 'trust'>
  readonly agent: Pick<Agent, 'trust'>
}

/** The turn's setting overrides the thread's, which overrides the agent's. */
function trustOf({ options, thread, agent }: Trusting): Trust {
  return options.trust ?? thread.trust ?? agent.trust ?? DEFAULT_TRUST
}

export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 60 ? `${line.slice(0, 59)}…`.toWellFormed() : line
}
