// Where a session stands before a run: how long its file is, and from which totals the agent counts on.
import { NOTHING_MARKED, type RunSpec, type SessionMark } from '../../adapters/adapter.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Agent, Dependencies } from '../dependencies.ts'

/** A fork continues its parent's running totals, but writes its own file. */
export async function markOf(
  dependencies: Dependencies,
  agent: Agent,
  { spec, source }: { spec: Pick<RunSpec, 'continuation'>; source: Session | null },
): Promise<SessionMark> {
  if (!source) return NOTHING_MARKED
  const place = { sessionId: source.sessionId, workDir: source.workDir, env: agent.fullEnv }
  const { sessionFiles } = agent.adapter
  if (!sessionFiles) return { ...NOTHING_MARKED, costUsd: source.reportedCostUsd }
  const mark = await sessionFiles.mark(place, dependencies.files)
  if (spec.continuation.kind !== 'fork') return mark
  const { costUsd, usage } = mark
  return { ...NOTHING_MARKED, costUsd, ...(usage && { usage }) }
}
