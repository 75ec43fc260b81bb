// Says what is wrong with the file of a session; makes a repaired copy under a new id, proves it and gives it to the thread.
import { NOTHING_MARKED, type SessionFiles, type SessionGrowth } from '../../adapters/adapter.ts'
import type { RepairedSession, SessionDiagnosis } from '../../api.ts'
import { entriesHolding } from '../../core/conversation/held-messages.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { knownPart, type Session } from '../../core/conversation/session.ts'
import { isUnapproved } from '../../core/conversation/thread.ts'
import { contextTokensOf } from '../../core/run/observe.ts'
import { RepriseError } from '../../errors.ts'
import { findAgent } from '../agents/agents.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { proveCopy } from './prove-copy.ts'

/** Larger files are not read whole. */
const MAX_READ_BYTES = 256 * 1024 * 1024

export async function diagnose(
  dependencies: Dependencies,
  session: Session,
  { repair }: { readonly repair: boolean },
): Promise<SessionDiagnosis> {
  const agent = await findAgent(dependencies, session.agent)
  const { sessionFiles } = agent.adapter
  if (!sessionFiles?.repair) throw cannotRepair(agent)
  if (repair) {
    await mustBeApproved(dependencies, session)
    await mustBeFree(dependencies, session)
  }
  const kept = { agent, session, sessionFiles }
  const { read, path, bytes } = await readSession(dependencies, kept)
  const sessionId = dependencies.random.uuid()
  const { uuid } = dependencies.random
  const known = knownPart(session)
  const mended = sessionFiles.repair(bytes, { sessionId, known, model: session.model, uuid })
  const { found, text, lines } = mended
  const diagnosis = { sessionId: session.id, read, path, found, repairable: text !== null }
  if (!repair || text === null || found.length === 0) return { ...diagnosis, repaired: null }
  const copy = { sessionId, text, lines }
  return { ...diagnosis, repaired: await keepCopy(dependencies, { ...kept, copy }) }
}

/** The last line of a file that an agent writes now may be half there. */
async function mustBeFree({ store }: Dependencies, { id }: Session): Promise<void> {
  const holder = (await store.sessionHolders([id])).get(id)
  if (!holder) return
  const hint = `Wait for it, or end it: reprise runs cancel ${holder}.`
  throw new RepriseError('busy', `${holder} is going on session ${id}`, hint)
}

/** A repair writes where the agent finds it. */
async function mustBeApproved({ store }: Dependencies, { threadId }: Session): Promise<void> {
  const thread = await store.thread(threadId)
  if (thread === null || !isUnapproved(thread)) return
  const what = `thread ${threadId} came in a file of somebody else and is only data`
  const hint = `Let it go on first: reprise threads approve ${threadId}.`
  throw new RepriseError('conflict', what, hint)
}

type KeptSession = {
  readonly agent: Agent
  readonly session: Session
  readonly sessionFiles: SessionFiles
}

async function readSession(
  { files, vault }: Dependencies,
  { agent, session, sessionFiles }: KeptSession,
): Promise<Pick<SessionDiagnosis, 'read' | 'path'> & { readonly bytes: Uint8Array }> {
  const place = { ...session, env: agent.fullEnv }
  const { found: path } = await sessionFiles.locate(place, files)
  const stat = path === null ? null : await files.stat(path)
  if (stat && stat.sizeBytes > MAX_READ_BYTES) {
    const hint = 'Begin a fresh session on its thread: reprise send -t THREAD --fresh-session.'
    throw new RepriseError(
      'conflict',
      `the file of session ${session.id} is too large to be read`,
      hint,
    )
  }
  const file = path !== null && stat?.kind === 'file' ? await files.read(path) : null
  if (file) return { read: 'file', path, bytes: file }
  const copy = await vault.read(session)
  if (copy) return { read: 'copy', path: null, bytes: copy }
  return { read: 'nothing', path: null, bytes: new Uint8Array() }
}

type Copied = KeptSession & {
  readonly copy: Pick<RepairedSession, 'sessionId' | 'lines'> & { readonly text: string }
}

async function keepCopy(
  dependencies: Dependencies,
  { copy, ...kept }: Copied,
): Promise<RepairedSession> {
  const { agent, session, sessionFiles } = kept
  const { files, fileWriter } = dependencies
  const { sessionId, text, lines } = copy
  const place = { sessionId, workDir: session.workDir, env: agent.fullEnv }
  const { home } = await sessionFiles.locate(place, files)
  if (!fileWriter || home === null) throw cannotRepair(agent)
  await fileWriter.write(home, text)
  const tail = await sessionFiles.growth(place, NOTHING_MARKED, { prompt: '' }, files)
  const unproven = { agent, session, sessionId, end: tail.end }
  const proof = await proveCopy(dependencies, unproven).catch(async error => {
    // Nobody may find a copy that its own program refuses. A file that cannot be removed has an id that nobody knows.
    await fileWriter.remove(home).catch(() => {})
    throw error
  })
  const id = await adopted(dependencies, { ...kept, copy, tail })
  return { sessionId, path: home, lines, proof, session: id }
}

/** The thread goes on with the copy if the copy begins as the thread does. Gives our id of the copy. */
async function adopted(
  { files, store, random, clock }: Dependencies,
  { agent, session, sessionFiles, copy, tail }: Copied & { readonly tail: SessionGrowth },
): Promise<string | null> {
  const place = { sessionId: copy.sessionId, workDir: session.workDir, env: agent.fullEnv }
  const said = (await sessionFiles.conversation(place, files)) ?? []
  const branch = await store.branch(session.threadId)
  const seen = sharedWith(branch, said)
  if (seen.length === 0) return null
  const id = random.id('ses')
  const { threadId, agent: name, workDir, model, instructionsHash } = session
  const from = said.length - seen.length
  const repaired = {
    id,
    sessionId: copy.sessionId,
    threadId,
    agent: name,
    workDir,
    model,
    runtime: agent.runtime.fingerprint,
    forkedFrom: session.id,
    instructionsHash,
    knownEnd: tail.end,
    seen: seen.map(({ hash }, index) => ({
      hash,
      anchor: said[index + from]?.anchor ?? null,
      isPart: false,
    })),
  }
  await store.adoptSession(repaired, contextTokensOf(tail.requests), clock.now())
  return id
}

/** The longest beginning of the thread that makes up the whole session. */
function sharedWith(
  branch: readonly Message[],
  said: Parameters<typeof entriesHolding>[0],
): readonly Message[] {
  for (let count = branch.length; count > 0; count -= 1) {
    const beginning = branch.slice(0, count)
    if (entriesHolding(said, beginning) === said.length) return beginning
  }
  return []
}

function cannotRepair({ name }: Agent): RepriseError {
  const hint =
    'The next turn of its thread brings the conversation by itself: reprise send -t THREAD.'
  return new RepriseError('conflict', `nobody can repair session files of ${name}`, hint)
}
