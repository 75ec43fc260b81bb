// Refuses to run on this host what has its directory on another one.
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { sharedRootOf } from '../jobs/waiting-jobs.ts'

/**
 * The path of another host may be missing here, or be something else. Any host has a repository, and hosts that share a root
 * have the same directories below it. A store of one host has no other hosts, whatever the machine was called before.
 */
export async function refuseElsewhere(
  dependencies: Pick<Dependencies, 'store' | 'offer' | 'files'>,
  { id, host, workDir, workspace }: Pick<ThreadRecord, 'id' | 'host' | 'workDir' | 'workspace'>,
): Promise<void> {
  const { store, offer } = dependencies
  if (store.reach === 'one-host' || workspace !== null) return
  if (host === null || host === offer.host) return
  if ((await sharedRootOf(dependencies, workDir)) !== null) return
  throw new RepriseError(
    'conflict',
    `thread ${id} works in ${workDir} on host ${host}, and this is ${offer.host}`,
    `Run it on ${host}; or give a directory of this host (--cwd DIR), or begin a thread for a repository, which works on every host.`,
  )
}
