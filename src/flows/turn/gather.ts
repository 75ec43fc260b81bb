// Gathers the facts for a decision: what the thread holds, what its sessions have seen, what is on disk.

import type { Message } from '../../core/conversation/messages.ts'
import { knownPart, modelOfLatest, type Session } from '../../core/conversation/session.ts'
import type {
  Facts,
  Purpose,
  RestoredCopy,
  SessionFacts,
  SessionFileState,
} from '../../core/decide/decision.ts'
import { relateFile } from '../../core/decide/history.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { replayFormOf } from '../sessions/replay-form.ts'
import { restorable } from '../sessions/session-copy.ts'

export type Situation = {
  readonly agent: Agent
  readonly threadId: string
  readonly view: readonly Message[]
  readonly workDir: string
  /** `null`: the agent chooses. */
  readonly model: string | null
  readonly freshSession: boolean
  readonly resume: ResumeSettings
  /** Sessions (our ids) whose copy was restored for this decision; each is restored only once. */
  readonly restored?: ReadonlyMap<string, RestoredCopy>
  readonly purpose?: Purpose
  /** The agent refused the session that we wrote for this turn. */
  readonly writtenWasRefused?: boolean
  /** The turn itself asks for `resume.carry`: also a session that a warm cache holds is cut. */
  readonly carriesNow?: boolean
}

export type Gathered = { readonly facts: Facts; readonly sessions: readonly Session[] }

export async function gather(dependencies: Dependencies, situation: Situation): Promise<Gathered> {
  const { agent, view } = situation
  const query = { threadId: situation.threadId, agent: agent.name }
  const sessions = (await dependencies.store.sessions(query)).filter(
    session => !hasHandedOver(situation, session),
  )
  const holders = await dependencies.store.sessionHolders(sessions.map(session => session.id))
  const sessionFacts = await Promise.all(
    sessions.map(session =>
      factsOf(dependencies, situation, session, holders.get(session.id) ?? null),
    ),
  )
  const facts: Facts = {
    gatheredAt: dependencies.clock.now(),
    agent: agent.name,
    abilities: agent.runtime.abilities,
    freshSession: situation.freshSession,
    viewLength: view.length,
    workDir: situation.workDir,
    runtime: agent.runtime.fingerprint,
    contextWindow: windowOf(situation, sessions),
    sessions: sessionFacts,
    ...(situation.purpose && { purpose: situation.purpose }),
    replayForm: await replayFormOf(dependencies, situation, sessions),
  }
  return { facts, sessions }
}

/**
 * A run that continues a session which waits at a call runs that call first. A tier that was broken off may
 * have run it already, and so may a tier between the session's tier and this one.
 */
function hasHandedOver({ purpose, agent }: Situation, session: Session): boolean {
  if (!purpose || !waitsAtCall(agent, session)) return false
  if (purpose.enters) return purpose.handedOver?.includes(session.sessionId) === true
  return !purpose.ownSessions?.includes(session.sessionId)
}

/** Whether the agent goes on with a parked call when the session is resumed. */
export function waitsAtCall({ adapter }: Agent, { lastStopReason }: Session): boolean {
  return lastStopReason !== null && lastStopReason === adapter.park?.stopReason
}

/** The window that runs reported, else the one in the adapter's table, else the last known one. */
function windowOf(situation: Situation, sessions: readonly Session[]): number | null {
  const { agent } = situation
  const latest = sessions.toSorted((a, b) => b.lastMessageAt - a.lastMessageAt)
  const model = situation.model ?? modelOfLatest(latest)
  const { adapter, runtime, fullEnv: env } = agent
  // Another version of the agent may give the same model another window.
  const reported = latest.find(
    session =>
      session.model === model &&
      session.runtime === runtime.fingerprint &&
      session.contextWindow !== null,
  )
  if (reported) return reported.contextWindow
  const known = model === null ? null : adapter.money.contextWindow(model, { runtime, env })
  const last = latest.find(session => session.contextWindow !== null)?.contextWindow
  return known ?? last ?? adapter.money.assumedWindow ?? null
}

async function factsOf(
  dependencies: Dependencies,
  situation: Situation,
  session: Session,
  heldBy: string | null,
): Promise<SessionFacts> {
  const usable = session.pointer === 'confirmed'
  // A session that is not confirmed cannot be used, so its file is not read.
  const found = usable
    ? await fileOf(dependencies, situation, session)
    : { state: 'unknown' as const }
  const file = heldBy === null ? found : withoutForeign(found)
  return {
    id: session.id,
    sessionId: session.sessionId,
    pointer: session.pointer,
    ...(session.evidence && { evidence: session.evidence }),
    retiredBecause: session.retiredBecause,
    workDir: session.workDir,
    runtime: session.runtime,
    lastMessageAt: session.lastMessageAt,
    fruitlessResumes: session.fruitlessResumes,
    contextTokens: session.contextTokens,
    file,
    heldBy,
    relation: relateFile(situation.view, session.seen, file),
  }
}

/** The run that holds the session writes to its file now. Whose messages these are is known when it has ended. */
function withoutForeign(file: SessionFileState): SessionFileState {
  if (file.state !== 'present') return file
  const { foreign: _, ...rest } = file
  return rest
}

async function fileOf(
  dependencies: Dependencies,
  situation: Situation,
  session: Session,
): Promise<SessionFileState> {
  const { agent } = situation
  const { sessionFiles } = agent.adapter
  if (!sessionFiles) return { state: 'unread' }
  const workDir = placeOf(situation, session)
  const place = { sessionId: session.sessionId, workDir, env: agent.fullEnv }
  const known = knownPart(session)
  const file = await sessionFiles.inspect({ ...place, known }, agent.runtime, dependencies.files)
  const restored = situation.restored?.get(session.id)
  if (restored) return file.state === 'present' ? { ...file, restored } : file
  return restorable(dependencies, { agent, session, workDir, file })
}

/** An agent that finds sessions by work dir needs the file in the place where it will look. */
function placeOf({ agent, workDir, resume }: Situation, session: Session): string {
  const relocates = resume.onWorkDirChange === 'relocate'
  return relocates && !agent.runtime.abilities.resumeAcrossWorkDirs ? workDir : session.workDir
}
