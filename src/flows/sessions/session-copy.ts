// Copies a session file after a run; restores a lost one before a resume.

import { knownPart, type Session } from '../../core/conversation/session.ts'
import type { SessionFileState } from '../../core/decide/decision.ts'
import { RepriseError } from '../../errors.ts'
import type { PieceFence } from '../../store/contract/pieces.ts'
import type { Agent, Dependencies } from '../dependencies.ts'

type Kept = Pick<Session, 'agent' | 'sessionId' | 'workDir'>

/**
 * Called after a run. The copy is best effort: if it fails now, it is made after the next run. `path`: where the
 * file is, if that is known. `fence`: the run goes on, so another host may take it over meanwhile.
 */
export async function keepSession(
  dependencies: Dependencies,
  agent: Agent,
  { session, path, fence }: { session: Kept; path: string | null; fence?: PieceFence },
): Promise<void> {
  try {
    const found = path ?? (await pathOf(dependencies, agent, session))
    if (found !== null) await dependencies.vault.keep(session, found, fence)
    // The run has already ended, so a user may have removed its thread while we copied.
    const { agent: name, sessionId } = session
    const [known] = await dependencies.store.sessions({ agent: name, sessionId })
    if (!known) await dependencies.vault.remove(session)
  } catch {
    // A full or broken disk must not turn a finished run into a failed one.
  }
}

async function pathOf(
  { files }: Dependencies,
  agent: Agent,
  session: Kept,
): Promise<string | null> {
  const place = { ...session, env: agent.fullEnv }
  const located = await agent.adapter.sessionFiles?.locate(place, files)
  return located?.found ?? null
}

export type Lost = {
  readonly agent: Agent
  readonly session: Session
  /** The work dir from which the session will be continued. */
  readonly workDir: string
  readonly file: SessionFileState
}

/** Says whether our copy of a missing or damaged file holds everything up to the session's known end. */
export async function restorable(
  dependencies: Dependencies,
  lost: Lost,
): Promise<SessionFileState> {
  const { agent, session, file, workDir } = lost
  const { sessionFiles } = agent.adapter
  if (!sessionFiles || (file.state !== 'missing' && file.state !== 'damaged')) return file
  const place = { sessionId: session.sessionId, workDir, env: agent.fullEnv }
  const { found, home } = await sessionFiles.locate(place, dependencies.files)
  // The file may hold more than the copy, because runs whose process died were not copied.
  if (found !== null) await extendCopy(dependencies, session, found)
  const copy = await dependencies.vault.read(session)
  const { end } = knownPart(session)
  if (copy === null || home === null) return file
  if (end !== null && !sessionFiles.holds(copy, end)) return file
  const detail = file.state === 'missing' ? 'it is not there' : file.detail
  const path = file.state === 'damaged' ? file.path : home
  const keptAt = await dependencies.vault.keptAt(session)
  return { state: 'restorable', path, detail, ...(keptAt !== null && { keptAt }) }
}

/** Where that fails, as on a full disk, the copy stays as it is: whether it holds enough is asked next. */
async function extendCopy({ vault }: Dependencies, session: Session, path: string): Promise<void> {
  try {
    await vault.extend(session, path)
  } catch (error) {
    if (error instanceof RepriseError) throw error
  }
}
