// Starts the process for the next turn of a thread before its prompt is sent. The turn decides for itself whether it uses the process.
import type { RunSpec } from '../../adapters/adapter.ts'
import type { TurnOptions } from '../../api.ts'
import { viewOf } from '../../core/conversation/messages.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import { decide } from '../../core/decide/decide.ts'
import { OPEN_STATUSES } from '../../core/run/run.ts'
import { PRE_WARM_PREFIX, type PreWarmed, type WhyNotWarm } from '../../core/warm/pre-warm.ts'
import { findAgent, inProject } from '../agents/agents.ts'
import { createTextKeeper, sandboxFor } from '../agents/choose-sandbox.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { gather } from '../turn/gather.ts'
import { instructionsFor } from '../turn/instructions.ts'
import { specOf } from '../turn/run-spec.ts'
import { settingsOfRun, workDirFor } from '../turn/send-turn.ts'
import { contentHash } from './content-hash.ts'
import type { KeptProcess, KeptProcesses, LeftAt } from './kept-processes.ts'
import { LiveAgent } from './live-agent.ts'
import { mayStay } from './may-stay.ts'
import { commandKey, filesKey } from './start-key.ts'

/** The file is read before the start and before the turn. */
const MAX_FILE_BYTES = 32 * 1024 * 1024

/** What a process of an agent needs once it has started. */
const MEMORY_BYTES = 256 * 1024 * 1024

export async function preWarm(
  dependencies: Dependencies,
  thread: ThreadRecord,
  options: TurnOptions,
): Promise<PreWarmed> {
  const { warm, clock } = dependencies
  if (!warm || warm.settings.max === 0) return notWarm('off')
  if (thread.workspace !== null) return notWarm('not-kept')
  const workDir = await workDirFor(dependencies, thread, options)
  const found = await findAgent(dependencies, options.agent ?? thread.agent)
  const agent = inProject(found, await dependencies.settingsFor(workDir))
  const wanted = { threadId: thread.id, agent: agent.name }
  const ticket = dependencies.random.id(PRE_WARM_PREFIX)
  if (warm.has(wanted)) return held(warm, wanted, ticket)
  if (warm.report().processes >= warm.settings.max) return notWarm('full')
  if (await isBusy(dependencies, thread.id)) return notWarm('busy')
  const ready = await prepare(dependencies, { thread, options, agent, workDir })
  if (typeof ready === 'string') return notWarm(ready)
  if (!warm.gate.open(thread.id, clock.now(), warm.settings.max)) {
    return notWarm('too-often')
  }
  await start(dependencies, { agent, warm, ...ready })
  return held(warm, wanted, ticket)
}

function held(warm: KeptProcesses, wanted: Pick<LeftAt, 'threadId' | 'agent'>, ticket: string) {
  warm.hold(wanted, ticket)
  return { waits: true, ticket } as const
}

type Asked = {
  readonly thread: ThreadRecord
  readonly options: TurnOptions
  readonly agent: Agent
  readonly workDir: string
}

type Ready = { readonly spec: RunSpec; readonly leftAt: LeftAt }

/** The command as the turn would start it, and the session as it is now; or why the turn would not resume in such a process. */
async function prepare(
  dependencies: Dependencies,
  { thread, options, agent, workDir }: Asked,
): Promise<Ready | WhyNotWarm> {
  const run = {
    ...settingsOfRun({ thread, options, agent, workDir }),
    id: dependencies.random.id(PRE_WARM_PREFIX),
  }
  const sandbox = await sandboxFor(dependencies, run.sandboxWanted)
  const isSpecial = options.maxTurns !== undefined
  const alone = { chainId: null, jobId: null }
  if (!mayStay(dependencies, { run: alone, agent, sandbox, isSpecial })) return 'not-kept'
  const { resume } = await dependencies.settingsFor(workDir)
  const carry = options.carry ?? thread.carry ?? resume.carry
  // A note needs a new session, and a turn that asks for a cut copy may get one.
  if (carry === 'note' || options.carry === 'trimmed') return 'not-resumed'
  const situation = {
    ...{ agent, threadId: thread.id, workDir, model: run.model, resume },
    view: viewOf(await dependencies.store.branch(thread.id), thread.view, agent.name),
    freshSession: run.freshSession,
  }
  const { facts, sessions } = await gather(dependencies, situation)
  const decision = decide(facts, resume)
  if (decision.action !== 'resume') return 'not-resumed'
  const source = sessions.find(({ id }) => id === decision.session.id)
  const file = facts.sessions.find(({ id }) => id === decision.session.id)?.file
  if (!source?.knownEnd || file?.state === 'restorable') return 'not-resumed'
  const text = options.instructions ?? thread.instructions
  const instructions = instructionsFor({ agent, instructions: text || null }, decision, source)
  const spec = await specOf(dependencies, {
    ...{ run, situation, decision, source, facts, instructions },
    ...{ newSessionId: null, prompt: null, parked: null, tierContext: null, note: null },
    ...{ callFirst: null, files: null, maxTurns: undefined, stays: true, trace: null },
    keeper: createTextKeeper(dependencies),
  })
  const leftAt = await placeOf(dependencies, { agent, spec, source, knownEnd: source.knownEnd })
  return leftAt ? { spec, leftAt } : 'not-resumed'
}

/** Taken before the start, so that every later change is noticed. */
async function placeOf(
  dependencies: Dependencies,
  {
    agent,
    spec,
    source,
    knownEnd,
  }: { agent: Agent; spec: RunSpec; source: Session; knownEnd: string },
): Promise<LeftAt | null> {
  const { files } = dependencies
  const { id, sessionId, threadId, workDir } = source
  const place = { sessionId, workDir, env: agent.fullEnv }
  const mark = await agent.adapter.sessionFiles?.mark(place, files)
  const path = mark?.path ?? null
  const stat = path === null ? null : await files.stat(path)
  if (!mark || path === null || !stat || stat.sizeBytes > MAX_FILE_BYTES) return null
  const hash = await contentHash(dependencies, path)
  if (hash === null) return null
  // A process that counts for itself begins at nothing.
  const isOfSession = agent.adapter.money.costMeans(agent.runtime) === 'session'
  return {
    ...{ threadId, agent: agent.name, id, sessionId, knownEnd },
    ...{ path, sizeBytes: stat.sizeBytes, fileState: { contentHash: hash } },
    commandKey: commandKey(agent, spec, sessionId),
    filesKey: await filesKey(dependencies, agent, spec),
    totalUsd: isOfSession ? mark.costUsd : 0,
  }
}

async function start(
  { runner, limits, clock }: Dependencies,
  { agent, warm, spec, leftAt }: Ready & { agent: Agent; warm: KeptProcesses },
): Promise<void> {
  const { command, dialogue } = agent.adapter.open(spec, agent.runtime)
  const stdin = new TextEncoder().encode(dialogue.begin().write.join(''))
  const started = { ...command, stdin, keepsInputOpen: true }
  const process = await runner.start(started, spec.runId, limits)
  // No watchdog counts while nobody has asked it anything.
  process.turns?.rest()
  const startedAt = clock.now()
  const live = new LiveAgent({ process, dialogue, startedBy: spec.runId, startedAt })
  const kept: KeptProcess = {
    ...{ live, leftAt, startedAt, restsSince: startedAt, memoryBytes: MEMORY_BYTES },
    isUnused: true,
  }
  // A turn may have ended meanwhile, and its process knows more.
  if (warm.has(leftAt)) void warm.end(live)
  else warm.keep(kept)
}

const RUNS_ASKED = 10

async function isBusy({ store }: Dependencies, threadId: string): Promise<boolean> {
  const runs = await store.listRuns({ threadId, limit: RUNS_ASKED })
  return runs.some(({ status }) => OPEN_STATUSES.includes(status))
}

function notWarm(why: WhyNotWarm): PreWarmed {
  return { waits: false, why }
}
