// Decides which sessions of a thread file can be continued here, and writes a copy of each under an id of its own.
import { promises as disk } from 'node:fs'
import { join } from 'node:path'
import { knownPart, type Session } from '../../core/conversation/session.ts'
import type { ReplayedSession } from '../../core/import-words.ts'
import { timedUuid } from '../../core/timed-uuid.ts'
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

export type TakenSessions = {
  readonly taken: readonly StagedSession[]
  /** Sessions of the thread that nobody resumes here. */
  readonly replayed: readonly ReplayedSession[]
}

/** A user who leaves out the session files knows what follows. */
export const NO_SESSIONS: TakenSessions = { taken: [], replayed: [] }

type Arrived = {
  readonly entries: readonly StagedEntry[]
  readonly records: ReadRecords
  readonly staging: Staging
  /** Where the thread goes on. */
  readonly workDir: string
}

export async function takeSessions(
  dependencies: Dependencies,
  { entries, records: { content }, staging, workDir }: Arrived,
): Promise<TakenSessions> {
  const taken: StagedSession[] = []
  const replayed: ReplayedSession[] = []
  for (const session of content.sessions) {
    if (session.pointer !== 'confirmed') continue
    const { id, agent } = session
    const entry = entries.find(({ kind, of }) => kind === 'session-file' && of === id)
    const file = entry ? await disk.readFile(entry.path) : null
    const copy = copyOf(dependencies, session, { file, workDir })
    if (typeof copy === 'string') {
      replayed.push({ agent, because: copy })
      continue
    }
    const path = join(staging.directory, `${taken.length}.session`)
    await disk.writeFile(path, copy.text, { flag: 'wx', mode: 0o600 })
    const { runtime, isSame } = await runtimeHere(dependencies, session)
    if (!isSame) replayed.push({ agent, because: 'other-version' })
    taken.push({ id, agent, path, runtime, sessionId: copy.sessionId })
  }
  return { taken, replayed: severalOnce(replayed) }
}

/** A file may name any number of agents. */
const MOST_SAID = 20

function severalOnce(replayed: readonly ReplayedSession[]): readonly ReplayedSession[] {
  const different = new Map(replayed.map(one => [`${one.because} ${one.agent}`, one]))
  return [...different.values()].slice(0, MOST_SAID)
}

/** A text says why there is none. */
function copyOf(
  { agents, random, clock }: Dependencies,
  session: Session,
  { file, workDir }: { readonly file: Uint8Array | null; readonly workDir: string },
): { readonly sessionId: string; readonly text: string } | ReplayedSession['because'] {
  const agent = agents.get(session.agent)
  if (!agent) return 'no-such-agent'
  const files = agent.adapter.sessionFiles
  if (!files?.copyAs) return 'agent-keeps-them'
  if (file === null) return 'no-file'
  const sessionId = timedUuid(clock.now(), random.uuid())
  const text = files.copyAs(file, { sessionId, workDir })
  const { end } = knownPart(session)
  if (end === null || !files.holds(Buffer.from(text), end)) return 'not-whole'
  return { sessionId, text }
}

/** The same version at another path is the same program. Another one gets the conversation by a replay. */
async function runtimeHere(
  dependencies: Dependencies,
  { agent, runtime }: Session,
): Promise<{ readonly runtime: string; readonly isSame: boolean }> {
  try {
    const here = (await findAgent(dependencies, agent)).runtime.fingerprint
    const isSame = versionIn(here) === versionIn(runtime)
    return { runtime: isSame ? here : runtime, isSame }
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    return { runtime, isSame: false } // The agent is not here yet.
  }
}

/** A fingerprint is the program, its version, and in brackets what it can do. A program may have spaces in its name. */
function versionIn(fingerprint: string): string {
  const brackets = fingerprint.lastIndexOf(' (')
  return fingerprint.slice(fingerprint.lastIndexOf(' ', brackets - 1) + 1)
}
