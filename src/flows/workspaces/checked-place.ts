// Checks where a new thread, chain or job is to work: in a directory of this host, or in a repository that any host can check out.
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import {
  refProblem,
  repositoryProblem,
  type WorkPlace,
  type WorkspaceRequest,
} from '../../core/run/workspace.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkedWorkDir } from '../threads/check-input.ts'

export type Place = Pick<ThreadRecord, 'workDir' | 'host' | 'workspace'>

/** A repository is not asked for yet: that happens on the host that runs the agent. */
export async function checkedPlace(
  dependencies: Dependencies,
  wanted: WorkPlace,
  threadId: string,
): Promise<Place> {
  const { workDir, workspace } = wanted
  if ((workDir === undefined) === (workspace === undefined)) {
    const what = workspace
      ? 'work happens in a directory or in a repository, not in both'
      : 'the request does not say where to work'
    const hint = 'Give either `workDir` (--cwd) or `workspace` (--repository).'
    throw new RepriseError('bad-input', what, hint)
  }
  if (workspace === undefined) {
    const directory = await checkedWorkDir(dependencies, workDir ?? '')
    return { workDir: directory, host: dependencies.owner.host, workspace: null }
  }
  const { repository, ref = null } = workspace
  refuse(workspace)
  return {
    workDir: dependencies.workspaces.pathOf(threadId),
    host: null,
    workspace: { repository, ref, commit: null },
  }
}

function refuse({ repository, ref }: WorkspaceRequest): void {
  const problem = repositoryProblem(repository) ?? (ref === undefined ? null : refProblem(ref))
  if (problem) throw new RepriseError('bad-input', problem.what, problem.hint)
}
