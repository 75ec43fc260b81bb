// Finds the thread of the session that a caller of the agent names, or begins one.
import type { NamedSession } from '../../adapters/agent-call.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { adoptThread } from '../threads/adopt-thread.ts'
import { copyThread } from '../threads/threads.ts'
import { mendFile } from './mend-file.ts'

export type CalledThread = {
  readonly thread: ThreadRecord
  /** The session that the call continues or forks; `null`: it begins a new one. */
  readonly source: Session | null
  /** The call began the thread: without a turn it leaves nothing behind. */
  readonly isNew: boolean
}

type Caller = { readonly agent: Agent; readonly workDir: string }

/** `null`: nobody knows the session, or it belongs to a chain or a job, which alone may go on in it. */
export async function calledThread(
  dependencies: Dependencies,
  session: NamedSession,
  caller: Caller,
): Promise<CalledThread | null> {
  if (session.kind === 'new') {
    const id = await beginThread(dependencies, caller)
    return { thread: await threadOf(dependencies, id), source: null, isNew: true }
  }
  const sessionId = session.kind === 'fork' ? session.from : session.sessionId
  const source = await knownSession(dependencies, caller, sessionId)
  if (source === null) return null
  const thread = await threadOf(dependencies, source.threadId)
  if (session.kind === 'resume') {
    return thread.kind === 'chat' ? { thread, source, isNew: false } : null
  }
  const forkId = await copyThread(dependencies, thread, {})
  return { thread: await threadOf(dependencies, forkId), source, isNew: true }
}

/** A session that began without Reprise becomes a thread, with the conversation that its file holds. A damaged file is repaired before. */
async function knownSession(
  dependencies: Dependencies,
  { agent, workDir }: Caller,
  sessionId: string,
): Promise<Session | null> {
  const query = { sessionId, agent: agent.name }
  const [known] = await dependencies.store.sessions(query)
  if (known) return known
  const place = { sessionId, workDir, env: agent.fullEnv }
  if (!(await mendFile(dependencies, agent, place))) return null
  const said = await agent.adapter.sessionFiles?.conversation(place, dependencies.files)
  if (!said || said.length === 0) return null
  const messages = said.map(({ role, text }) => ({ role, text }))
  await adoptThread(dependencies, { agent: agent.name, workDir, sessionId, messages })
  return (await dependencies.store.sessions(query))[0] ?? null
}

async function beginThread(
  { store, clock, random, owner }: Dependencies,
  { agent, workDir }: Caller,
): Promise<string> {
  const now = clock.now()
  const place = { workDir, host: owner.host, workspace: null }
  const asItIs = { forkedFrom: null, instructions: null, trust: null, sandbox: null }
  const thread = { kind: 'chat', title: null, agent: agent.name, view: 'all' } as const
  const times = { createdAt: now, updatedAt: now }
  return store.createThread({ id: random.id('thr'), ...thread, ...place, ...asItIs, ...times }, [])
}

function threadOf({ store }: Dependencies, id: string): Promise<ThreadRecord> {
  return mustExist(store.thread(id), `thread ${id}`)
}
