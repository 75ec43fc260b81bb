// Takes the kept process of a thread for a turn that resumes exactly what the process has left. In any doubt the process ends.
import type { RunSpec, SessionMark } from '../../adapters/adapter.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { WhyNotUsed } from '../../core/warm/why-new-process.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { contentHash } from './content-hash.ts'
import type { KeptProcess, LeftAt } from './kept-processes.ts'
import type { LiveAgent } from './live-agent.ts'
import { isAloneSoon } from './look-until.ts'
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

/** `why`: a process was kept for a turn like this one, but it has ended now. */
export type Taken = Warm | { readonly why: WhyNotUsed }

/** How long a process may take to answer that it listens, and to start before that. */
const LISTEN_MS = 3_000
const START_MS = 15_000

/** When this does not give a process, none of the thread and the agent waits any more, and none writes to a session file. */
export async function takeWarm(dependencies: Dependencies, wanted: Wanted): Promise<Taken | null> {
  const { warm } = dependencies
  if (!warm) return null
  const { threadId, agent } = wanted
  const kept = warm.take({ threadId, agent: agent.name })
  if (kept === null) return null
  if ('why' in kept) return wanted.spec.continuation.kind === 'resume' ? kept : null
  const found = isResumedBy(wanted, kept.leftAt)
    ? await look(dependencies, wanted, kept).catch(async error => {
        // Nobody else knows the process any more.
        await warm.end(kept.live)
        throw error
      })
    : null
  if (found && 'sizeBytes' in found) {
    const { path, totalUsd } = kept.leftAt
    return { live: kept.live, mark: { path, sizeBytes: found.sizeBytes, costUsd: totalUsd } }
  }
  await warm.end(kept.live)
  return found
}

/** Any other turn could not have used the process anyway, as its decision says. */
function isResumedBy({ spec }: Wanted, { sessionId }: LeftAt): boolean {
  return spec.continuation.kind === 'resume' && spec.continuation.sessionId === sessionId
}

/** `sizeBytes`: the process can be used, and its session file is so long now. */
async function look(
  dependencies: Dependencies,
  wanted: Wanted,
  kept: KeptProcess,
): Promise<{ readonly sizeBytes: number } | { readonly why: WhyNotUsed }> {
  const why = await whyNot(dependencies, wanted, kept)
  if (why !== null) return { why }
  // Comes last: the checks take a while.
  const sizeBytes = await sizeAsLeft(dependencies, wanted.agent, kept.leftAt)
  return sizeBytes === null ? { why: 'session-file' } : { sizeBytes }
}

async function whyNot(
  dependencies: Dependencies,
  { agent, spec, filesKey, source }: Wanted,
  { live, leftAt }: KeptProcess,
): Promise<WhyNotUsed | null> {
  if (filesKey === null || source === null || spec.prompt === null) return 'turn'
  if (source.id !== leftAt.id || source.pointer !== 'confirmed') return 'session'
  if (source.knownEnd !== leftAt.knownEnd) return 'session'
  if (filesKey !== leftAt.filesKey) return 'start-files'
  if (commandKey(agent, spec, leftAt.sessionId) !== leftAt.commandKey) return 'command'
  // Reprise looks while the process has not yet answered that it listens.
  const [deaf, elsewhere] = await Promise.all([
    doesNotListen(dependencies, live),
    isElsewhere(dependencies, live, spec),
  ])
  return deaf ?? elsewhere
}

/** `null`: somebody wrote to the file. Notes of the agent itself, which come a moment after its answer, change nothing. */
async function sizeAsLeft(
  { files }: Dependencies,
  { adapter }: Agent,
  { path, sizeBytes, fileState, knownEnd }: LeftAt,
): Promise<number | null> {
  const stat = await files.stat(path)
  if (!stat || stat.sizeBytes < sizeBytes) return null
  if (!('modifiedMs' in fileState)) {
    const isSame = (await contentHash({ files }, path)) === fileState.contentHash
    return isSame ? sizeBytes : null
  }
  if (stat.sizeBytes === sizeBytes)
    return stat.modifiedMs === fileState.modifiedMs ? sizeBytes : null
  const added = await files.read(path, sizeBytes, stat.sizeBytes)
  const areNotes = added !== null && adapter.sessionFiles?.areNotes?.(added, knownEnd) === true
  return areNotes ? stat.sizeBytes : null
}

/** `null`: it is alone, and stands in the directory that has this name now. What a quick look misses is found when the turn has ended. */
async function isElsewhere(
  { files, clock }: Dependencies,
  live: LiveAgent,
  { workDir }: RunSpec,
): Promise<WhyNotUsed | null> {
  const isAlone = await isAloneSoon(live, { clock, how: 'quickly' })
  const look = live.lastLook
  if (look === null) return 'ended'
  if (!isAlone) return 'not-alone'
  return look.workDir === (await files.realpath(workDir)) ? null : 'moved'
}

/** `null`: it listens. Anything else that it says means that it is not at rest. */
async function doesNotListen({ clock }: Dependencies, live: LiveAgent): Promise<WhyNotUsed | null> {
  live.tell(live.dialogue.check?.())
  const over = new AbortController()
  const answered = live.stirs().then(() => true)
  const patienceMs = Math.max(LISTEN_MS, live.startedAt + START_MS - clock.now())
  const tooLate = clock.sleep(patienceMs, over.signal).then(() => false)
  const inTime = await Promise.race([answered, tooLate])
  over.abort()
  if (!inTime) return 'deaf'
  const step = await live.step()
  if (step === null) return 'ended'
  return step.listens === true ? null : 'spoke'
}
