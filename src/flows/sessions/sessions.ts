// The life of sessions: the verbs that users call, details of one, the sweep that pauses, completes and expires them, and the archive.
import type { ArchivedSession, Reprise, SessionDetails } from '../../api.ts'
import {
  type CountedSession,
  knownPart,
  type Session,
  withCounts,
} from '../../core/conversation/session.ts'
import type { SessionSettings } from '../../core/conversation/session-settings.ts'
import { given } from '../../core/optional.ts'
import { RepriseError } from '../../errors.ts'
import { findAgent } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import { diagnose } from './diagnose.ts'

const AT_ONCE = 100

export function sessionsApi(ready: () => Promise<Dependencies>): Reprise['sessions'] {
  return {
    get: async id => sessionDetails(await ready(), id),
    list: async (query = {}) => {
      const sessions = await (await ready()).store.listSessions({ limit: 50, ...given(query) })
      return sessions.map(withCounts)
    },
    archive: async id => archiveSession(await ready(), id),
    unarchive: async id => unarchiveSession(await ready(), id),
    diagnose: async (id, { repair = false } = {}) => {
      const dependencies = await ready()
      return diagnose(dependencies, await existingSession(dependencies, id), { repair })
    },
  }
}

async function existingSession({ store }: Dependencies, id: string): Promise<Session> {
  const session = await store.session(id)
  if (session) return session
  const hint = 'Run `reprise sessions` to see their ids.'
  throw new RepriseError('not-found', `there is no session ${id}`, hint)
}

/** Gives a session's details, including the state of its file and of our copy. */
async function sessionDetails(dependencies: Dependencies, id: string): Promise<SessionDetails> {
  const session = await existingSession(dependencies, id)
  const copy = await dependencies.vault.read(session)
  return {
    ...withCounts(session),
    file: await fileOf(dependencies, session),
    keptBytes: copy?.byteLength ?? 0,
    wakeCostUsd: wakeCost(dependencies, session),
  }
}

async function fileOf(
  dependencies: Dependencies,
  session: Session,
): Promise<SessionDetails['file']> {
  try {
    const agent = await findAgent(dependencies, session.agent)
    const { sessionFiles } = agent.adapter
    if (!sessionFiles) return { state: 'unread' }
    const place = { ...session, env: agent.fullEnv, known: knownPart(session) }
    return await sessionFiles.inspect(place, agent.runtime, dependencies.files)
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    return { state: 'unknown' }
  }
}

/** What the next turn pays to write the whole session to a cold cache; `null`: unknown. */
function wakeCost(
  { agents }: Dependencies,
  { agent, model, contextTokens }: Session,
): number | null {
  const price = model === null ? null : (agents.get(agent)?.adapter.money.price(model) ?? null)
  if (price === null || contextTokens === null) return null
  return (contextTokens * price.cacheWriteUsd) / 1_000_000
}

export async function sweepSessions(
  dependencies: Dependencies,
  settings: SessionSettings,
): Promise<void> {
  const now = dependencies.clock.now()
  const { pauseAfterMs, expireAfterMs } = settings
  await dependencies.store.sweepSessions({
    pauseBefore: now - pauseAfterMs,
    expireBefore: expireAfterMs === null ? null : now - expireAfterMs,
  })
  for (const session of await dependencies.store.sessionsIn('expired', AT_ONCE)) {
    await putAside(dependencies, session)
    await dependencies.store.setSessionState(session.id, 'expired', 'archived')
  }
}

/** Archives a session for a user. It can still be continued, because nothing is removed. */
export async function archiveSession(
  dependencies: Dependencies,
  id: string,
): Promise<ArchivedSession> {
  const session = await existingSession(dependencies, id)
  const holder = (await dependencies.store.sessionHolders([id])).get(id)
  if (holder) {
    const hint = `Wait for it, or end it: reprise runs cancel ${holder}.`
    throw new RepriseError('busy', `${holder} is going on session ${id}`, hint)
  }
  const path = await putAside(dependencies, session)
  await dependencies.store.setSessionState(id, session.state, 'archived')
  return { ...withCounts(await existingSession(dependencies, id)), path }
}

/** The next sweep completes it if its job is over, and expires it if nobody has used it for too long. */
export async function unarchiveSession(
  dependencies: Dependencies,
  id: string,
): Promise<CountedSession> {
  const { state } = await existingSession(dependencies, id)
  if (!(await dependencies.store.setSessionState(id, 'archived', 'paused'))) {
    const hint = `Run \`reprise sessions show ${id}\` to see how it stands.`
    throw new RepriseError('conflict', `session ${id} is ${state}, not archived`, hint)
  }
  return withCounts(await existingSession(dependencies, id))
}

async function putAside(dependencies: Dependencies, session: Session): Promise<string> {
  const messages = await dependencies.store.branch(session.threadId)
  const bytes = await dependencies.vault.read(session)
  // An agent that is no longer configured has left a file all the same.
  const adapter = dependencies.agents.get(session.agent)?.adapter
  const name = adapter?.sessionFiles?.archiveName ?? 'session-file'
  return dependencies.archive.put({ session, messages, file: bytes && { name, bytes } })
}
