// Looks what changed in the work dir of a thread since its session was last used.
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
  { decision, source, run }: { decision: Decision; source: Session | null; run: Run },
): Promise<string | null> {
  const continues = decision.action === 'resume' || decision.action === 'fork'
  const isOfThread = run.jobId === null && run.chainId === null
  if (situation.resume.drift !== 'tell' || !continues || !source || !isOfThread) return null
  const { workDir } = situation
  const since = source.lastMessageAt
  const [changed, gone]: [string[], string[]] = [[], []]
  for (const path of filesIn(situation).slice(-MOST_FILES)) {
    const stat = await dependencies.files.stat(path.startsWith('/') ? path : `${workDir}/${path}`)
    if (!stat) gone.push(within(workDir, path))
    else if (stat.kind === 'file' && stat.modifiedMs > since) changed.push(within(workDir, path))
  }
  return sinceAsleepBrief({ head: await headOf(dependencies, workDir, since), changed, gone })
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
