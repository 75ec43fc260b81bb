// What a run in a repository does before its process starts and after it has ended.
import type { AgentSaid } from '../../core/run/events.ts'
import type { Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import type { TurnInput } from '../turn/turn-input.ts'
import { type Entered, enterWorkspace } from './enter-workspace.ts'
import { keepFiles } from './keep-files.ts'

/** `null`: the thread works in a directory. An error says why there is no work tree. */
export async function enterForRun(
  dependencies: Dependencies,
  { runId, lease, workspace, signal }: TurnInput,
): Promise<Entered | RepriseError | null> {
  if (workspace === null) return null
  try {
    const entered = await enterWorkspace(dependencies, { id: lease.threadId, workspace }, signal)
    const run = await mustExist(dependencies.store.run(runId), `run ${runId}`)
    await keepFiles(dependencies, { entered, lease, run, kind: 'before' })
    return entered
  } catch (error) {
    if (error instanceof RepriseError && error.code !== 'cancelled') return error
    throw error
  }
}

/** Gives what the log says when the files cannot travel. */
export async function leaveAfterRun(
  dependencies: Dependencies,
  { lease }: TurnInput,
  { entered, run }: { readonly entered: Entered; readonly run: Run },
): Promise<AgentSaid | null> {
  const why = await keepFiles(dependencies, { entered, lease, run, kind: 'after' })
  if (why === null) return null
  const text = `The files of this run are on this host only (${why}). Another host would go on from an earlier state.`
  return { type: 'notice', code: 'files-not-kept', text }
}
