// Runs the agent for a program that calls it by itself: same arguments, streams and end; with lease, record, copy and rescue.
import type { NamedCall } from '../../adapters/agent-call.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Facts } from '../../core/decide/decision.ts'
import type { DropInSettings } from '../../core/drop-in-settings.ts'
import type { Exit } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Forward, ForwardedProcess } from '../../runner/runner.ts'
import { findAgent } from '../agents/agents.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { keepLease } from '../lease/keep-lease.ts'
import { markOf } from '../sessions/mark-of.ts'
import { removeThread } from '../threads/threads.ts'
import { gather } from '../turn/gather.ts'
import { CallRecord } from './call-record.ts'
import type { ServedCall } from './call-turn.ts'
import { type CalledThread, calledThread } from './called-thread.ts'
import { type HeldThread, holdThread } from './hold-thread.ts'
import { namedCall } from './named-call.ts'
import {
  hearOutput,
  listensTo,
  promptsOf,
  resultOfFile,
  type Terminals,
  tailOf,
} from './read-streams.ts'
import { rescue } from './rescue.ts'

export type StandInRequest = {
  /** The name of the agent in our config. */
  readonly agent: string
  readonly args: readonly string[]
  readonly workDir: string
  /** The environment of the caller, which the agent gets as it is. */
  readonly env: Readonly<Record<string, string>>
  readonly isTerminal: Terminals
  readonly settings: DropInSettings
  readonly forward: Forward
}

export type StoodIn =
  | {
      readonly kind: 'ended'
      readonly code: number | null
      readonly signal: string | null
      /** Why the call is not on record; `null`: it is. */
      readonly trouble: string | null
    }
  /** Nothing was started: the program is to run without Reprise. */
  | { readonly kind: 'bare'; readonly because: string | null }

/** How long the end of a call may take to be stored after the process has ended. */
const END_MS = 10_000

export async function standIn(
  dependencies: Dependencies,
  request: StandInRequest,
): Promise<StoodIn> {
  const found = await findAgent(dependencies, request.agent)
  const agent = { ...found, fullEnv: request.env }
  const call = agent.adapter.calls?.read(request.args, request.isTerminal.stdout) ?? {
    kind: 'other',
  }
  if (call.kind !== 'print') return { kind: 'bare', because: null }
  const named = await namedCall(dependencies, call, { agent, workDir: request.workDir })
  if ('because' in named) return { kind: 'bare', because: named.because }
  return standInForPrint(dependencies, request, { agent, call: named })
}

type Serving = { readonly agent: Agent; readonly call: NamedCall }

async function standInForPrint(
  dependencies: Dependencies,
  request: StandInRequest,
  { agent, call }: Serving,
): Promise<StoodIn> {
  const held = await hold(dependencies, request, { agent, call })
  if ('because' in held) return { kind: 'bare', because: held.because }
  const over = new AbortController()
  try {
    const prepared = await prepare(dependencies, request, { agent, held })
    return await serve(dependencies, request, { ...prepared, held, over })
  } catch (error) {
    await letGo(dependencies, held)
    throw error
  } finally {
    over.abort()
  }
}

/** The agent is to run without Reprise: others may have the thread at once, and one that the call began leaves nothing behind. */
async function letGo(
  dependencies: Dependencies,
  { lease, run, isNew, thread }: Held,
): Promise<void> {
  const { store, clock } = dependencies
  try {
    // Without its lease the run is one that waits, which a cancel ends at once.
    await store.releaseLease(lease)
    await store.requestCancel(run.id, clock.now())
    if (isNew) await removeThread(dependencies, thread.id)
  } catch {
    // The store fails right now. The run ends with the lease, or with this process.
  }
}

type Held = HeldThread &
  CalledThread & { readonly call: NamedCall; readonly args: readonly string[] }

/** Finds the thread and takes its lease; when others hold it, by policy: waits, forks, or refuses. */
async function hold(
  dependencies: Dependencies,
  request: StandInRequest,
  { agent, call }: Serving,
): Promise<Held | { readonly because: string | null }> {
  const { settings, workDir, args } = request
  const called = await calledThread(dependencies, call.session, { agent, workDir })
  if (called === null) return { because: null }
  const waits = settings.whenBusy === 'wait' ? settings.waitMs : 0
  const wanted = { agent, workDir, asked: call, waitMs: waits }
  const held = await holdThread(dependencies, called.thread, wanted)
  if (held) return { ...called, ...held, call, args }
  if (called.isNew) await removeThread(dependencies, called.thread.id)
  const { source } = called
  const busy = `another process works on session ${source?.sessionId ?? ''}`
  if (settings.whenBusy === 'refuse') {
    const hint = `Wait for it, or set dropIn.whenBusy in config.yaml to \`wait\` or \`fork\`.`
    throw new RepriseError('busy', busy, hint)
  }
  if (settings.whenBusy === 'wait' || source === null) return { because: busy }
  const sessionId = dependencies.random.uuid()
  const forked = agent.adapter.calls?.withFork(args, sessionId) ?? args
  const session = { kind: 'fork', from: source.sessionId, sessionId } as const
  return hold(dependencies, { ...request, args: forked }, { agent, call: { ...call, session } })
}

type Prepared = { readonly served: ServedCall; readonly args: readonly string[] }

/** Everything that must be done and known before the process starts. */
async function prepare(
  dependencies: Dependencies,
  { workDir }: StandInRequest,
  { agent, held }: { readonly agent: Agent; readonly held: Held },
): Promise<Prepared> {
  const { thread, source, lease, call, run } = held
  const { session, model } = call
  const rescued = source && { agent, session: source, workDir, model, lease }
  const notice = rescued && (await rescue(dependencies, rescued))
  const { args, sessionId } = withId(dependencies, agent, { args: held.args, session })
  const { resume } = await dependencies.settingsFor(workDir)
  const view = await dependencies.store.branch(thread.id)
  const asked = { agent, threadId: thread.id, view, workDir, model, freshSession: false, resume }
  const { facts } = await gather(dependencies, asked)
  const continuation =
    session.kind === 'fork' ? { ...session, at: null } : { kind: 'new' as const, sessionId }
  const fresh = source && (await dependencies.store.session(source.id))
  const mark = await markOf(dependencies, agent, { spec: { continuation }, source: fresh })
  const where = { agent, thread, lease, workDir, model, args }
  const foreignMessages = foreignIn(facts, source)
  const known = { session, source: fresh, sessionId, facts, resume, mark, notice, foreignMessages }
  return { served: { ...where, ...known, processRunId: run.id }, args }
}

function foreignIn({ sessions }: Facts, source: Session | null): number {
  const file = sessions.find(({ id }) => id === source?.id)?.file
  return file?.state === 'present' ? (file.foreign?.messages ?? 0) : 0
}

/** Where nobody chose the id of a new session, we do: text output never names it. */
function withId(
  { random }: Dependencies,
  { adapter, runtime }: Agent,
  { args, session }: Pick<ServedCall, 'args' | 'session'>,
): { readonly args: readonly string[]; readonly sessionId: string | null } {
  const { sessionId } = session
  if (sessionId !== null) return { args, sessionId }
  if (!adapter.calls || !runtime.abilities.chooseSessionId) return { args, sessionId: null }
  const chosen = random.uuid()
  return { args: adapter.calls.withSessionId(args, chosen), sessionId: chosen }
}

type Service = Prepared & { readonly held: Held; readonly over: AbortController }

async function serve(
  dependencies: Dependencies,
  request: StandInRequest,
  { served, args, held, over }: Service,
): Promise<StoodIn> {
  const { agent } = served
  const { call, isNew } = held
  const { isTerminal } = request
  const record = new CallRecord(dependencies, { ...served, isNew })
  const prompts = promptsOf(served, { call, isTerminal, record })
  const output = listensTo(call, isTerminal) ? hearOutput(served, { call, record, prompts }) : null
  const errors = isTerminal.stderr ? null : tailOf()
  const process = request.forward({
    file: agent.runtime.executable,
    args,
    env: request.env,
    marker: served.processRunId,
    onTerminal: false,
    look: {
      ...(prompts.look && { stdin: prompts.look }),
      ...(output && { stdout: output }),
      ...(errors && { stderr: errors }),
    },
  })
  const cancelled = renew(dependencies, { held, over, process, record })
  const { code, signal } = await process.ended
  over.abort()
  prompts.begun()
  const endedBy = cancelled() ? ('cancelled' as const) : null
  const exit: Exit = { code, signal, endedBy, stderr: errors?.text() ?? '', outputCut: false }
  if (output === null) await recordFromFile(dependencies, { served, exit, record })
  const ended = record.end(exit).then(() => 'ended' as const)
  const late = dependencies.clock.sleep(END_MS).then(() => 'late' as const)
  if ((await Promise.race([ended, late])) === 'late')
    record.giveUp(new Error('the store is too slow'))
  return { kind: 'ended', code, signal, trouble: wordsOf(record.trouble) }
}

/** The agent has answered its caller by now: a file that cannot be read must not be a reason to run it once more. */
async function recordFromFile(
  dependencies: Dependencies,
  ran: { readonly served: ServedCall; readonly exit: Exit; readonly record: CallRecord },
): Promise<void> {
  try {
    ran.record.said(await resultOfFile(dependencies, ran.served, ran.exit))
  } catch (error) {
    ran.record.giveUp(error)
  }
}

/** Gives a function that says whether a user has cancelled the run. */
function renew(
  dependencies: Dependencies,
  service: {
    readonly held: Held
    readonly over: AbortController
    readonly process: ForwardedProcess
    readonly record: CallRecord
  },
): () => boolean {
  const { held, over, process, record } = service
  let isCancelled = false
  void keepLease(dependencies, {
    ...held,
    over: over.signal,
    stop: reason => {
      // The end of the run frees the lease.
      if (over.signal.aborted) return
      if (reason !== 'cancelled') return record.giveUp(new Error('the lease was lost'))
      isCancelled = true
      process.signal('SIGTERM')
    },
  })
  return () => isCancelled
}

function wordsOf(trouble: unknown): string | null {
  if (trouble === null) return null
  return trouble instanceof Error ? trouble.message : String(trouble)
}
