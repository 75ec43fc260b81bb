// Takes the kept process of a thread for a turn that resumes exactly what the process has left. In any doubt the process ends.
import type { RunSpec, SessionMark } from '../../adapters/adapter.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { contentHash } from './content-hash.ts'
import type { KeptProcess, LeftAt } from './kept-processes.ts'
import type { LiveAgent } from './live-agent.ts'
import { commandKey } from './start-key.ts'

export type Wanted = {
  readonly threadId: string
  readonly agent: Agent
  readonly spec: RunSpec
  /** `null`: the run cannot use a process that was kept. */
  readonly filesKey: string | null
  /** The session that the run continues or forks. */
  readonly source: Session | null
}

export type Warm = {
  readonly live: LiveAgent
  /** The session file as it is, and the total from which the process counts on. */
  readonly mark: SessionMark
}

/** How long a process may take to answer that it listens, and to start before that. */
const LISTEN_MS = 3_000
const START_MS = 15_000

/** When this resolves with `null`, no process of the thread and the agent waits any more, and none writes to a session file. */
export async function takeWarm(dependencies: Dependencies, wanted: Wanted): Promise<Warm | null> {
  const { warm } = dependencies
  if (!warm) return null
  const { threadId, agent } = wanted
  const kept = warm.take({ threadId, agent: agent.name })
  if (kept === null) return null
  if (await goesOn(dependencies, wanted, kept)) {
    const { path, sizeBytes, totalUsd } = kept.leftAt
    return { live: kept.live, mark: { path, sizeBytes, costUsd: totalUsd } }
  }
  await warm.end(kept.live)
  return null
}

async function goesOn(
  dependencies: Dependencies,
  { agent, spec, filesKey, source }: Wanted,
  { live, leftAt }: KeptProcess,
): Promise<boolean> {
  if (filesKey === null || source === null || spec.prompt === null) return false
  if (spec.continuation.kind !== 'resume' || spec.continuation.sessionId !== leftAt.sessionId)
    return false
  if (source.id !== leftAt.id || source.pointer !== 'confirmed') return false
  if (source.knownEnd !== leftAt.knownEnd) return false
  if (filesKey !== leftAt.filesKey) return false
  if (commandKey(agent, spec, leftAt.sessionId) !== leftAt.commandKey) return false
  if (!(await listens(dependencies, live))) return false
  if (!(await isInPlace(dependencies, live, spec))) return false
  // Comes last: the check takes a while.
  return isUnchanged(dependencies, leftAt)
}

async function isUnchanged({ files }: Dependencies, leftAt: LeftAt): Promise<boolean> {
  const { path, sizeBytes, fileState } = leftAt
  const stat = await files.stat(path)
  if (stat?.sizeBytes !== sizeBytes) return false
  if ('modifiedMs' in fileState) return stat.modifiedMs === fileState.modifiedMs
  return (await contentHash({ files }, path)) === fileState.contentHash
}

/** It is alone, and stands in the directory that has this name now. */
async function isInPlace(
  { files }: Dependencies,
  live: LiveAgent,
  { workDir }: RunSpec,
): Promise<boolean> {
  const look = live.look()
  return look?.others === 0 && look.workDir === (await files.realpath(workDir))
}

/** Anything else that it says means that it is not at rest. */
async function listens({ clock }: Dependencies, live: LiveAgent): Promise<boolean> {
  live.tell(live.dialogue.check?.())
  const over = new AbortController()
  const answered = live.stirs().then(() => true)
  const patienceMs = Math.max(LISTEN_MS, live.startedAt + START_MS - clock.now())
  const tooLate = clock.sleep(patienceMs, over.signal).then(() => false)
  const inTime = await Promise.race([answered, tooLate])
  over.abort()
  if (!inTime) return false
  const step = await live.step()
  return step?.listens === true
}
