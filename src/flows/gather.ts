// Looks around before a decision: what the thread holds, what its sessions have seen, what is on disk.
import type { Facts, SessionFacts } from '../core/decision.ts'
import { relate } from '../core/history.ts'
import type { Message } from '../core/messages.ts'
import type { Session } from '../core/session.ts'
import type { Agent, Parts } from './parts.ts'

export type Situation = {
  readonly agent: Agent
  readonly threadId: string
  readonly view: readonly Message[]
  readonly workDir: string
  readonly model: string
  readonly freshSession: boolean
}

export type Gathered = { readonly facts: Facts; readonly sessions: readonly Session[] }

export async function gather(parts: Parts, situation: Situation): Promise<Gathered> {
  const { agent, view } = situation
  const query = { threadId: situation.threadId, agent: agent.name }
  const sessions = await parts.store.sessions(query)
  const holders = await parts.store.sessionHolders(sessions.map(session => session.id))
  const sessionFacts = await Promise.all(
    sessions.map(session => factsOf(parts, situation, session, holders.get(session.id) ?? null)),
  )
  const facts: Facts = {
    gatheredAt: parts.clock.now(),
    agent: agent.name,
    abilities: agent.runtime.abilities,
    freshSession: situation.freshSession,
    viewLength: view.length,
    workDir: situation.workDir,
    runtime: agent.runtime.fingerprint,
    contextWindow: windowOf(situation, sessions),
    sessions: sessionFacts,
  }
  return { facts, sessions }
}

/** D-6: the adapter's table, corrected by what runs reported; failing both, the last known one. */
function windowOf({ agent, model }: Situation, sessions: readonly Session[]): number | null {
  const latest = sessions.toSorted((a, b) => b.lastMessageAt - a.lastMessageAt)
  const reported = latest.find(session => session.model === model && session.contextWindow !== null)
  if (reported) return reported.contextWindow
  const known = agent.adapter.contextWindow(model)
  return known ?? latest.find(session => session.contextWindow !== null)?.contextWindow ?? null
}

async function factsOf(
  parts: Parts,
  { agent, view }: Situation,
  session: Session,
  heldBy: string | null,
): Promise<SessionFacts> {
  const { sessionId, workDir } = session
  const lastAnchor = session.seen.findLast(entry => entry.anchor !== null)?.anchor ?? null
  const place = { sessionId, workDir, env: agent.fullEnv, lastAnchor }
  const usable = session.pointer === 'confirmed'
  return {
    id: session.id,
    sessionId: session.sessionId,
    pointer: session.pointer,
    retiredBecause: session.retiredBecause,
    workDir: session.workDir,
    runtime: session.runtime,
    lastMessageAt: session.lastMessageAt,
    fruitlessResumes: session.fruitlessResumes,
    contextTokens: session.contextTokens,
    // The files of sessions that are out anyway are not worth a look.
    file: usable
      ? await agent.adapter.inspect(place, agent.runtime, parts.files)
      : { state: 'unknown' },
    heldBy,
    relation: relate(view, session.seen),
  }
}
