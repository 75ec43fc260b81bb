// From a prompt to a finished turn: check it, store it, wait for its place in the thread's queue, run it.
import type { TurnOptions, TurnResult } from '../api.ts'
import type { Message } from '../core/messages.ts'
import { hashOf } from '../core/messages.ts'
import type { KillReason, Run } from '../core/run.ts'
import { RepriseError } from '../errors.ts'
import type { Lease, ThreadRecord } from '../store/store.ts'
import { findAgent } from './agents.ts'
import { checkedPrompt, checkedWorkDir } from './check-input.ts'
import { continueTurn } from './continue-turn.ts'
import { endBroken, release } from './end-broken.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Agent, Parts } from './parts.ts'
import { recover } from './recover.ts'
import type { TurnControl } from './turn.ts'

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
  const { run, message } = await submit(parts, live, {
    ...{ thread, options, agent, workDir, text },
  })
  control.submitted({ runId: run.id, messageId: message.id })
  const lease = await waitForTurn(parts, live, { run, request })
  const ended = await holding(parts, live, { lease, run, agent, request })
  control.emit({ type: 'ended', run: ended })
  const answer = ended.answerMessageId ? await parts.store.message(ended.answerMessageId) : null
  return { run: ended, threadId: thread.id, messageId: message.id, text: answer?.text ?? '' }
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
  live: LiveRuns,
  { thread, options, agent, workDir, text }: Submission,
): Promise<{ run: Run; message: Message }> {
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
  }
  refuseBadOptions(agent, turn.run)
  const run = await parts.store.submitTurn(turn, now)
  const title = thread.title ?? titleOf(text)
  // Storing the turn has already marked the thread as used.
  if (title !== thread.title || agent.name !== thread.agent || workDir !== thread.workDir) {
    const change = { title, agent: agent.name, workDir, updatedAt: now }
    await orLeaveQueue(parts, live, { run, act: () => parts.store.updateThread(thread.id, change) })
  }
  return { run, message }
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

function waitForTurn(
  parts: Parts,
  live: LiveRuns,
  { run, request }: { run: Run; request: TurnRequest & { control: TurnControl } },
): Promise<Lease> {
  const { control, options } = request
  const signal = AbortSignal.any([control.signal, live.closing])
  let told = false
  const claimed = async (): Promise<Lease> => {
    for (;;) {
      const claim = await parts.store.claimTurn(run.id, parts.owner, parts.timing.leaseMs)
      if (claim.state === 'claimed') return claim.lease
      if (claim.state === 'ended' || signal.aborted) throw gaveUp(run)
      if ((await live.writeEnds()) > 0 || (await recover(parts)).length > 0) continue
      if (options.whenBusy === 'fail') throw busy(run, claim.holder)
      if (!told) control.emit({ type: 'queued', runId: run.id, behind: claim.holder })
      told = true
      await parts.clock.sleep(parts.timing.queuePollMs, signal)
    }
  }
  return orLeaveQueue(parts, live, { run, act: claimed })
}

/** Whoever fails before its turn has come gives its place in the queue back: others wait behind it. */
async function orLeaveQueue<T>(
  parts: Parts,
  live: LiveRuns,
  { run, act }: { run: Run; act: () => Promise<T> },
): Promise<T> {
  try {
    return await act()
  } catch (error) {
    await live.writeEnd(run.id, async () => {
      await parts.store.requestCancel(run.id, parts.clock.now())
    })
    throw error
  }
}

function gaveUp(run: Run): RepriseError {
  const what = `run ${run.id} was cancelled before its turn came`
  return new RepriseError('cancelled', what, 'Its prompt is kept; send it again when you like.')
}

function busy(run: Run, holder: string): RepriseError {
  return new RepriseError(
    'busy',
    `thread ${run.threadId} is busy: ${holder} is going or waits before this one`,
    `Wait for it, or end it with \`reprise runs cancel ${holder}\`.`,
  )
}

type Held = {
  lease: Lease
  run: Run
  agent: Agent
  request: TurnRequest & { control: TurnControl }
}

/** Runs the turn while the lease is renewed beside it, and gives the lease back when the run has ended. */
async function holding(parts: Parts, live: LiveRuns, held: Held): Promise<Run> {
  const { lease, run, agent, request } = held
  const { control, thread, options } = request
  const over = new AbortController()
  const stopper = live.add(run.id, control.signal)
  const renewing = renew(parts, { lease, over: over.signal, stop: stopper.stop })
  let isEnded = true
  try {
    return await continueTurn(parts, {
      runId: run.id,
      lease,
      agent,
      view: thread.view,
      instructions: options.instructions ?? null,
      emit: control.emit,
      signal: control.signal,
      onStarted: stopper.started,
    })
  } catch (error) {
    isEnded = await live.writeEnd(run.id, () => endBroken(parts, lease, { run, error }))
    throw error
  } finally {
    over.abort()
    await renewing
    stopper.remove()
    // A run that is still open keeps its lease: its end will be written with it.
    if (isEnded) await release(parts, lease)
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

function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 60 ? `${line.slice(0, 59)}…`.toWellFormed() : line
}
