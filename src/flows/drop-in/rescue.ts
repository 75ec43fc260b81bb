// Before the agent resumes a session whose file is gone or damaged: puts our copy back, or writes the file from the thread.
import type { SessionPlace } from '../../adapters/adapter.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { knownPart, type Session } from '../../core/conversation/session.ts'
import type { SessionFileState } from '../../core/decide/decision.ts'
import type { AgentSaid } from '../../core/run/events.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { restorable } from '../sessions/session-copy.ts'
import { keepDamaged } from './keep-damaged.ts'

/** At four characters to a token, about six tenths of the usual window. */
const MAX_WRITTEN_CHARS = 480_000

export type Rescued = {
  readonly agent: Agent
  readonly session: Session
  /** The directory from which the session will be resumed. */
  readonly workDir: string
  /** The model that the caller names; `null`: none. */
  readonly model: string | null
  readonly lease: Lease
}

/** Gives what was done, for the log of the run; `null`: the agent has its file, or nobody can help. */
export async function rescue(
  dependencies: Dependencies,
  rescued: Rescued,
): Promise<AgentSaid | null> {
  const { agent, session, workDir, lease } = rescued
  const { sessionFiles } = agent.adapter
  if (!sessionFiles) return null
  const place = { sessionId: session.sessionId, workDir, env: agent.fullEnv }
  const known = knownPart(session)
  const look = () => sessionFiles.inspect({ ...place, known }, agent.runtime, dependencies.files)
  const lost = await restorable(dependencies, { agent, session, workDir, file: await look() })
  if (lost.state === 'restorable') {
    await keepDamaged(dependencies, lost.path)
    await dependencies.vault.restore(session, lost.path)
    await dependencies.store.moveSession(lease, session.id, workDir)
    const now = await look()
    if (now.state === 'present') return said(`our copy replaced its file (${lost.detail})`)
  }
  return writtenAgain(dependencies, rescued, { place, file: await look() })
}

/** The conversation as the session knew it, under the same id. A damaged file stays beside the new one. */
async function writtenAgain(
  dependencies: Dependencies,
  { agent, session, workDir, model, lease }: Rescued,
  { place, file }: { readonly place: SessionPlace; readonly file: SessionFileState },
): Promise<AgentSaid | null> {
  const { files, fileWriter, random, store } = dependencies
  const { sessionFiles, writtenSessions } = agent.adapter
  if (file.state !== 'missing' && file.state !== 'damaged') return null
  const goesOnWith = model ?? session.model
  const home = (await sessionFiles?.locate(place, files))?.home ?? null
  if (!writtenSessions?.areTaken(agent.runtime) || !fileWriter || home === null) return null
  const messages = await messagesOf(dependencies, session)
  if (messages.length === 0 || goesOnWith === null) return null
  const { text } = writtenSessions.write({
    sessionId: session.sessionId,
    workDir,
    version: agent.runtime.version,
    model: goesOnWith,
    messages,
    maxChars: MAX_WRITTEN_CHARS,
    shortensOutputs: false,
    uuid: random.uuid,
  })
  if (file.state === 'damaged' && !(await keepDamaged(dependencies, file.path))) return null
  await fileWriter.write(file.state === 'damaged' ? file.path : home, text)
  await store.moveSession(lease, session.id, workDir)
  return said('its file was written again from the thread')
}

/** What the session has seen; the thread may hold more, of other agents. */
async function messagesOf(
  { store }: Dependencies,
  { threadId, seen }: Session,
): Promise<readonly Message[]> {
  const known = new Set(seen.map(({ hash }) => hash))
  return (await store.branch(threadId)).filter(({ hash }) => known.has(hash))
}

function said(text: string): AgentSaid {
  return { type: 'notice', code: 'session-rescued', text: `The session could be resumed: ${text}.` }
}
