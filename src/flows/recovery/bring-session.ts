// Brings the session of a run here whose machine died, as far as that machine had copied it, so that its end is read from it.
import type { Dependencies } from '../dependencies.ts'
import type { PlannedRun } from '../turn/plan.ts'
import { type Holder, sessionOfRun } from '../turn/record-end.ts'

/** Gives the plan with the place of the file on this machine; without a copy, the plan as it is. */
export async function bringSession(
  { store, vault, files }: Dependencies,
  { lease, agent }: Holder,
  plan: PlannedRun,
): Promise<PlannedRun> {
  const { sessionFiles } = agent.adapter
  const session = sessionFiles ? await sessionOfRun(store, lease, plan) : null
  if (!sessionFiles || !session) return plan
  const { sessionId, workDir } = session
  const place = { sessionId, workDir, env: agent.fullEnv }
  const { found, home } = await sessionFiles.locate(place, files)
  // An earlier turn may have run here: its file is older than the copy, or a part of it.
  if (found !== null) await vault.extend(session, found)
  const path = found ?? home
  if (path === null || !(await vault.restore(session, path))) return plan
  return { ...plan, mark: { ...plan.mark, path } }
}
