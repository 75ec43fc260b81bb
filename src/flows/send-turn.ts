// From a prompt to a finished turn: check it, store it, wait for its place in the thread's queue, run it.
import type { TurnOptions, TurnResult } from '../api.ts'
import type { Message } from '../core/messages.ts'
import { hashOf } from '../core/messages.ts'
import type { KillReason, Run } from '../core/run.ts'
import { RepriseError } from '../errors.ts'
import type { Claim, Lease, ThreadRecord } from '../store/store.ts'
import { findAgent } from './agents.ts'
import { checkedPrompt, checkedWorkDir } from './check-input.ts'
import { continueTurn } from './continue-turn.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Agent, Parts } from './parts.ts'
import { mustExist } from './plan.ts'
import { recover } from './recover.ts'
import { firstResult } from './repeated-turn.ts'
import { emptyEnd } from './settle.ts'
import type { TurnControl } from './turn.ts'
import type { PlaceInLine } from './turn-line.ts'

const LONGEST_PAUSE_MS = 30_000
const STORE_PAUSE_MS = 1_000

export type TurnRequest = {
  readonly thread: ThreadRecord
  readonly prompt: string
  readonly options: TurnOptions
  /** Puts the thread's branch right before the turn (retry). Runs after all checks, before the prompt is stored. */
  readonly prepare?: () => Promise<void>
}

export async function sendTurn(
  parts: Parts,
  live: LiveRuns,
  request: TurnRequest & { control: TurnControl },
): Promise<TurnResult> {
  const { thread, options, control } = request
  const text = checkedPrompt(request.prompt)
  const agent = await findAgent(parts, options.agent ?? thread.agent)
  const workDir = await checkedWorkDir(parts, options.workDir ?? thread.workDir)
  await request.prepare?.()
  const { run, messageId, wasThere } = await submit(parts, {
    thread,
    options,
    agent,
    workDir,
    text,
  })
  control.submitted({ runId: run.id, messageId })
  if (wasThere) return firstResult(parts, run, control)
  const ended = await takeTurn(parts, live, { run, find: async () => agent, request })
  control.emit({ type: 'ended', run: ended })
  const answer = ended.answerMessageId ? await parts.store.message(ended.answerMessageId) : null
  return { run: ended, threadId: thread.id, messageId, text: answer?.text ?? '' }
}

/** A turn that another process has stored and did not live to run. Nobody listens; its events are in the store. */
export async function runQueued(parts: Parts, live: LiveRuns, run: Run): Promise<void> {
  const thread = await mustExist(parts.store.thread(run.threadId ?? ''), `thread ${run.threadId}`)
  const instructions = await parts.store.instructionsOf(run.id)
  const control = { emit: () => {}, submitted: () => {}, signal: new AbortController().signal }
  const request = { thread, prompt: '', control, options: instructions ? { instructions } : {} }
  await takeTurn(parts, live, { run, find: () => findAgent(parts, run.agent), request })
}

async function takeTurn(parts: Parts, live: LiveRuns, turn: Omit<Held, 'lease'>): Promise<Run> {
  const place = live.line.join(turn.run.threadId ?? '', turn.run.id)
  try {
    const lease = await waitForTurn(parts, live, { ...turn, place })
    return await holding(parts, live, { ...turn, lease })
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
}

async function submit(
  parts: Parts,
  { thread, options, agent, workDir, text }: Submission,
): Promise<{ run: Run; messageId: string; wasThere: boolean }> {
  const now = parts.clock.now()
  const runId = parts.random.id('run')
  const content = { role: 'user' as const, agent: null, text }
  const message: Message = {
    ...content,
    id: parts.random.id('msg'),
    tools: [],
    interrupted: false,
    hash: hashOf(content),
    runId,
    createdAt: now,
  }
  const turn = {
    run: {
      id: runId,
      agent: agent.name,
      model: options.model ?? agent.model,
      threadId: thread.id,
      workDir,
      permissionMode: options.permissionMode ?? agent.permissionMode,
      allowedTools: options.allowedTools ?? [],
      disallowedTools: options.disallowedTools ?? [],
      freshSession: options.freshSession ?? false,
    },
    message,
    owner: parts.owner,
    instructions: options.instructions ?? null,
    ...(options.key && { key: options.key }),
  }
  refuseBadOptions(agent, turn.run)
  const run = await parts.store.submitTurn(turn, now)
  if (run.id !== runId) return { run, messageId: run.promptMessageId ?? '', wasThere: true }
  const title = thread.title ?? titleOf(text)
  // Storing the turn has already marked the thread as used.
  if (title !== thread.title || agent.name !== thread.agent || workDir !== thread.workDir) {
    await parts.store.updateThread(thread.id, {
      title,
      agent: agent.name,
      workDir,
      updatedAt: now,
    })
  }
  return { run, messageId: message.id, wasThere: false }
}

/** The adapter knows which models, modes and tools can be passed on; asked before anything is stored. */
function refuseBadOptions(
  agent: Agent,
  run: Pick<
    Run,
    'id' | 'workDir' | 'model' | 'permissionMode' | 'allowedTools' | 'disallowedTools'
  >,
): void {
  const { permissionMode, allowedTools, disallowedTools, workDir } = run
  agent.adapter.command(
    {
      runId: run.id,
      continuation: { kind: 'new', sessionId: null },
      prompt: 'check',
      workDir,
      model: run.model ?? agent.model,
      permissionMode,
      allowedTools,
      disallowedTools,
      instructionsFile: null,
      env: agent.fullEnv,
    },
    agent.runtime,
  )
}

async function waitForTurn(
  parts: Parts,
  live: LiveRuns,
  { run, request, place }: Omit<Held, 'lease'> & { place: PlaceInLine },
): Promise<Lease> {
  const { control, options } = request
  const signal = AbortSignal.any([control.signal, live.closing])
  const cancelled = parts.owner.keepsQueue ? control.signal : signal
  let told = false
  let isFirst = place.ahead === 0
  for (;;) {
    if (live.closing.aborted && !cancelled.aborted) throw leftInQueue(run)
    const claim = await tryClaim(parts, run)
    if (claim === null) {
      await parts.clock.sleep(STORE_PAUSE_MS, signal)
      continue
    }
    if (claim.state === 'claimed') return claim.lease
    if (claim.state === 'ended' || cancelled.aborted) throw await gaveUp(parts, run)
    // Who is behind a turn of this very process knows that its owner lives.
    if (isFirst && (await recover(parts, run.threadId)).length > 0) continue
    if (options.whenBusy === 'fail') throw await busy(parts, run, claim.holder)
    if (!told) control.emit({ type: 'queued', runId: run.id, behind: claim.holder })
    told = true
    isFirst = await standInLine(parts, { place, isFirst, signal })
  }
}

/** `null`: not now. Who keeps the queue outlives a store that is locked or full for a while; a verb tells it at once. */
async function tryClaim({ store, owner, timing }: Parts, run: Run): Promise<Claim | null> {
  try {
    return await store.claimTurn(run.id, owner, timing.leaseMs)
  } catch (error) {
    const isTrouble = error instanceof RepriseError && STORE_TROUBLE.has(error.code)
    if (isTrouble && owner.keepsQueue) return null
    throw error
  }
}

const STORE_TROUBLE: ReadonlySet<string> = new Set(['store-unusable', 'store-full', 'busy'])

/** The further behind, the more seldom it asks the store, for a cancel by others; its turn wakes it at once. */
async function standInLine(
  { clock, timing }: Parts,
  { place, isFirst, signal }: { place: PlaceInLine; isFirst: boolean; signal: AbortSignal },
): Promise<boolean> {
  if (isFirst) {
    await clock.sleep(timing.queuePollMs, signal)
    return true
  }
  const awake = new AbortController()
  const pauseMs = Math.min(timing.queuePollMs * 10 * place.ahead, LONGEST_PAUSE_MS)
  const asleep = clock.sleep(pauseMs, AbortSignal.any([signal, awake.signal]))
  const isNext = await Promise.race([
    place.isNext.then(() => true),
    place.called.then(() => false),
    asleep.then(() => false),
  ])
  awake.abort()
  return isNext
}

function leftInQueue(run: Run): RepriseError {
  const what = `run ${run.id} stays in the queue: this process stops`
  return new RepriseError('cancelled', what, 'It runs when the daemon is started again.')
}

async function gaveUp(parts: Parts, run: Run): Promise<RepriseError> {
  await parts.store.requestCancel(run.id, parts.clock.now())
  const what = `run ${run.id} was cancelled before its turn came`
  return new RepriseError('cancelled', what, 'Its prompt is kept; send it again when you like.')
}

async function busy(parts: Parts, run: Run, holder: string): Promise<RepriseError> {
  await parts.store.requestCancel(run.id, parts.clock.now())
  return new RepriseError(
    'busy',
    `thread ${run.threadId} is busy: ${holder} is going or waits before this one`,
    `Wait for it, or end it with \`reprise runs cancel ${holder}\`.`,
  )
}

type Held = {
  lease: Lease
  run: Run
  /** Asked under the lease: an agent that is gone ends the run, and nothing waits for it for ever. */
  find: () => Promise<Agent>
  request: TurnRequest & { control: TurnControl }
}

/** Runs the turn while the lease is renewed beside it; whatever happens, the lease is given back. */
async function holding(parts: Parts, live: LiveRuns, held: Held): Promise<Run> {
  const { lease, run, find, request } = held
  const { control, thread, options } = request
  const over = new AbortController()
  const stopper = live.add(run.id, control.signal)
  const renewing = renew(parts, { lease, over: over.signal, stop: stopper.stop })
  try {
    return await continueTurn(parts, {
      runId: run.id,
      lease,
      agent: await find(),
      view: thread.view,
      instructions: options.instructions ?? null,
      emit: control.emit,
      signal: control.signal,
      onStarted: stopper.started,
    })
  } catch (error) {
    await endBroken(parts, lease, { run, error })
    throw error
  } finally {
    over.abort()
    await renewing
    stopper.remove()
    await parts.store.releaseLease(lease).catch(() => {
      // Lost or already released: either way it is not ours any more.
    })
  }
}

async function renew(
  parts: Parts,
  held: { lease: Lease; over: AbortSignal; stop: (reason: KillReason) => void },
): Promise<void> {
  const { lease, over, stop } = held
  for (;;) {
    await parts.clock.sleep(parts.timing.renewMs, over)
    if (over.aborted) return
    try {
      const { cancelRequested } = await parts.store.renewLease(lease, parts.timing.leaseMs)
      if (cancelRequested) stop('cancelled')
    } catch (error) {
      if (!(error instanceof RepriseError) || error.code !== 'lease-lost') continue
      stop('lease-lost')
      return
    }
  }
}

/** Our own fault in the middle of a turn: the run must not stay `running`. */
async function endBroken(
  parts: Parts,
  lease: Lease,
  { run, error }: { run: Run; error: unknown },
): Promise<void> {
  const current = await mustExist(parts.store.run(run.id), `run ${run.id}`)
  const latest = current.continuedBy ? await parts.store.run(current.continuedBy) : current
  if (!latest || !['queued', 'running', 'waiting'].includes(latest.status)) return
  const cancelled = error instanceof RepriseError && error.code === 'cancelled'
  const message = error instanceof Error ? error.message : String(error)
  const failure = {
    class: cancelled ? 'cancelled' : 'unknown',
    message,
    hint: error instanceof RepriseError ? error.hint : 'This is a fault of Reprise.',
    toolsRan: 0,
    resetsAt: null,
  } as const
  const status = cancelled ? 'cancelled' : 'failed'
  await parts.store
    .endRun(lease, emptyEnd(latest, { status, failure, now: parts.clock.now() }))
    .catch(() => {
      // The store itself is the trouble: the next start will find the run and end it as interrupted.
    })
}

function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 60 ? `${line.slice(0, 59)}…`.toWellFormed() : line
}
