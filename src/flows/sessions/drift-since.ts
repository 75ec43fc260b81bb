// Looks what changed for a thread since its session was last used: its work dir, its tools, the agent's program.
import type { Session } from '../../core/conversation/session.ts'
import { headSince, namedFiles, sinceAsleepBrief } from '../../core/conversation/since-asleep.ts'
import type { Decision } from '../../core/decide/decision.ts'
import type { Run } from '../../core/run/run.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Situation } from '../turn/gather.ts'

const LOG_TAIL_BYTES = 16 * 1024
/** The latest files count; a long thread names hundreds. */
const MOST_FILES = 100

/** `null`: nothing changed, or nobody asked for it. Jobs compare checkpoints; a tier follows at once. */
export async function driftSince(
  dependencies: Dependencies,
  situation: Situation,
  { decision, source, sessions, run }: Asleep,
): Promise<string | null> {
  const isOfThread = run.jobId === null && run.chainId === null
  const session = source ?? leftBehind(decision, sessions)
  if (situation.resume.drift !== 'tell' || !session || !isOfThread) return null
  const { workDir } = situation
  const since = session.lastMessageAt
  const [changed, gone]: [string[], string[]] = [[], []]
  for (const path of filesIn(situation).slice(-MOST_FILES)) {
    const stat = await dependencies.files.stat(path.startsWith('/') ? path : `${workDir}/${path}`)
    if (!stat) gone.push(within(workDir, path))
    else if (stat.kind === 'file' && stat.modifiedMs > since) changed.push(within(workDir, path))
  }
  const head = await headOf(dependencies, workDir, since)
  const [last] = await dependencies.store.listRuns({ sessionId: session.sessionId, limit: 1 })
  const runtime = { was: session.runtime, now: situation.agent.runtime.fingerprint }
  const tools = last && { tools: { was: last, now: run } }
  return sinceAsleepBrief({ head, changed, gone, runtime, ...tools })
}

type Asleep = {
  readonly decision: Decision
  /** The session that the run continues. */
  readonly source: Session | null
  /** All sessions of the thread and the agent. */
  readonly sessions: readonly Session[]
  readonly run: Run
}

/** Another version of the agent does not continue the session, but it reads what the session knew. */
function leftBehind(decision: Decision, sessions: readonly Session[]): Session | null {
  if (decision.action !== 'replay' || decision.reason.code !== 'runtime-changed') return null
  return sessions.toSorted((a, b) => b.lastMessageAt - a.lastMessageAt)[0] ?? null
}

function filesIn({ agent, view }: Situation): readonly string[] {
  const fields = new Set(Object.values(agent.adapter.tools.writing))
  const calls = view.flatMap(({ tools }) => tools).filter(({ isError }) => !isError)
  return namedFiles(
    calls.map(({ input }) => input),
    fields,
  )
}

async function headOf({ files }: Dependencies, workDir: string, since: number) {
  const path = `${workDir}/.git/logs/HEAD`
  const stat = await files.stat(path)
  if (stat?.kind !== 'file') return null
  const bytes = await files.read(path, Math.max(0, stat.sizeBytes - LOG_TAIL_BYTES))
  return bytes && headSince(new TextDecoder().decode(bytes), since)
}

function within(workDir: string, path: string): string {
  return path.startsWith(`${workDir}/`) ? path.slice(workDir.length + 1) : path
}
