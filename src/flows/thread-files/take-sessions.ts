// Decides which sessions of a thread file can be continued here, and writes a copy of each under an id of its own.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import { knownPart, type Session } from '../../core/conversation/session.ts'
import { RepriseError } from '../../errors.ts'
import type { StagedEntry } from '../../thread-file/read-file.ts'
import type { ReadRecords } from '../../thread-file/records.ts'
import { findAgent } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import type { TakenSession } from './renew-ids.ts'
import type { Staging } from './staging.ts'

export type StagedSession = TakenSession & {
  readonly agent: string
  /** The copy in staging. */
  readonly path: string
}

export async function takeSessions(
  dependencies: Dependencies,
  {
    entries,
    records: { content },
    staging,
  }: {
    readonly entries: readonly StagedEntry[]
    readonly records: ReadRecords
    readonly staging: Staging
  },
): Promise<readonly StagedSession[]> {
  const taken: StagedSession[] = []
  for (const { kind, of, path } of entries) {
    const session = content.sessions.find(({ id }) => kind === 'session-file' && id === of)
    if (session === undefined) continue
    const copy = copyOf(dependencies, session, await disk.readFile(path))
    if (copy === null) continue
    const target = join(staging.directory, `${taken.length}.session`)
    await disk.writeFile(target, copy.text, { flag: 'wx', mode: 0o600 })
    const runtime = await runtimeHere(dependencies, session)
    taken.push({ id: session.id, agent: session.agent, path: target, runtime, sessionId: copy.id })
  }
  return taken
}

/** `null`: the files of this agent do not travel, or this one does not hold what the session has seen. */
function copyOf({ agents, random }: Dependencies, session: Session, file: Uint8Array) {
  const files = agents.get(session.agent)?.adapter.sessionFiles
  if (!files?.copyAs) return null
  const id = random.uuid()
  const text = files.copyAs(file, id)
  const { end } = knownPart(session)
  if (end === null || !files.holds(Buffer.from(text), end)) return null
  return { id, text }
}

/** The same version at another path is the same program. Another one gets the conversation by a replay. */
async function runtimeHere(
  dependencies: Dependencies,
  { agent, runtime }: Session,
): Promise<string> {
  try {
    const here = (await findAgent(dependencies, agent)).runtime.fingerprint
    return versionIn(here) === versionIn(runtime) ? here : runtime
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    return runtime // The agent is not here yet.
  }
}

/** A fingerprint is the program, its version, and in brackets what it can do. A program may have spaces in its name. */
function versionIn(fingerprint: string): string {
  const brackets = fingerprint.lastIndexOf(' (')
  return fingerprint.slice(fingerprint.lastIndexOf(' ', brackets - 1) + 1)
}
