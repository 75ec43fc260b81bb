// The life of sessions: what is known of one, the sweep that pauses, completes and expires them, and the archive.
import type { ArchivedSession, SessionDetails } from '../api.ts'
import { knownPart, type Session, withCounts } from '../core/session.ts'
import type { SessionSettings } from '../core/session-settings.ts'
import { RepriseError } from '../errors.ts'
import { findAgent } from './agents.ts'
import type { Parts } from './parts.ts'

const AT_ONCE = 100

export async function existingSession({ store }: Parts, id: string): Promise<Session> {
  const session = await store.session(id)
  if (session) return session
  const hint = 'A thread shows the sessions it has; or list them: reprise sessions ls.'
  throw new RepriseError('not-found', `there is no session ${id}`, hint)
}

/** With a look at its file and at our copy of it. */
export async function sessionDetails(parts: Parts, id: string): Promise<SessionDetails> {
  const session = await existingSession(parts, id)
  const copy = await parts.vault.read(session)
  return {
    ...withCounts(session),
    file: await fileOf(parts, session),
    keptBytes: copy?.byteLength ?? 0,
    wakeCostUsd: wakeCost(parts, session),
  }
}

async function fileOf(parts: Parts, session: Session): Promise<SessionDetails['file']> {
  try {
    const agent = await findAgent(parts, session.agent)
    const place = { ...session, env: agent.fullEnv, known: knownPart(session) }
    return await agent.adapter.inspect(place, agent.runtime, parts.files)
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    return { state: 'unknown' }
  }
}

/** What the next turn pays to write all of it to a cache that has gone cold; `null` where that is not known. */
function wakeCost({ agents }: Parts, { agent, model, contextTokens }: Session): number | null {
  const price = model === null ? null : (agents.get(agent)?.adapter.price(model) ?? null)
  if (price === null || contextTokens === null) return null
  return (contextTokens * price.cacheWriteUsd) / 1_000_000
}

export type Swept = { paused: number; completed: number; expired: number; archived: number }

export async function sweepSessions(parts: Parts, settings: SessionSettings): Promise<Swept> {
  const now = parts.clock.now()
  const { pauseAfterMs, expireAfterMs } = settings
  const swept = await parts.store.sweepSessions({
    pauseBefore: now - pauseAfterMs,
    expireBefore: expireAfterMs === null ? null : now - expireAfterMs,
  })
  let archived = 0
  for (const session of await parts.store.sessionsIn('expired', AT_ONCE)) {
    await putAside(parts, session)
    if (await parts.store.setSessionState(session.id, 'expired', 'archived')) archived += 1
  }
  return { ...swept, archived }
}

/** By hand. It can be continued all the same: nothing is taken away. */
export async function archiveSession(parts: Parts, id: string): Promise<ArchivedSession> {
  const session = await existingSession(parts, id)
  const holder = (await parts.store.sessionHolders([id])).get(id)
  if (holder) {
    const hint = `Wait for it, or end it: reprise runs cancel ${holder}.`
    throw new RepriseError('busy', `${holder} is going on session ${id}`, hint)
  }
  const path = await putAside(parts, session)
  await parts.store.setSessionState(id, session.state, 'archived')
  return { ...withCounts(await existingSession(parts, id)), path }
}

async function putAside(parts: Parts, session: Session): Promise<string> {
  const messages = await parts.store.branch(session.threadId)
  return parts.archive.put({ session, messages, file: await parts.vault.read(session) })
}
