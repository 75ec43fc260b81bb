// Removes work trees whose work is over, and caches of repositories that are too much.
import { OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import type { WorkspacesSwept } from '../../workspaces/sweep.ts'
import type { Dependencies } from '../dependencies.ts'

const EVERY_MS = 3_600_000

export async function sweepWorkspacesWhileOpen(dependencies: Dependencies): Promise<void> {
  const { live, clock } = dependencies
  while (!live.closing.aborted) {
    await sweepWorkspaces(dependencies).catch(() => {
      // The store or the disk cannot be written right now; the next sweep tries again.
    })
    await clock.sleep(EVERY_MS, live.closing)
  }
}

export function sweepWorkspaces(dependencies: Dependencies): Promise<WorkspacesSwept> {
  const { store, workspaces, workspaceSettings, clock } = dependencies
  const { keepMs } = workspaceSettings
  const now = clock.now()
  return workspaces.sweep({
    ...workspaceSettings,
    now,
    mayGo: async (threadId, usedAt) => {
      if ((await store.removedThreads([threadId])).length > 0) return true
      // Also of a thread that this store does not know: the data directory may have had another store before.
      if (keepMs === null || now - usedAt <= keepMs) return false
      const endedAt = await endOf(dependencies, threadId)
      return endedAt !== null && now - endedAt > keepMs
    },
  })
}

/** When the work of a thread was over; 0 for a thread that is gone, `null` while it goes on. A thread of a person never ends. */
async function endOf({ store }: Dependencies, threadId: string): Promise<number | null> {
  const thread = await store.thread(threadId)
  if (thread === null) return 0
  if (thread.kind === 'chat') return null
  const job = await store.jobOfThread(threadId)
  if (job) return OPEN_JOB_STATUSES.includes(job.status) ? null : job.endedAt
  const [run] = await store.listRuns({ threadId, limit: 1 })
  const chain = run?.chainId ? await store.chain(run.chainId) : null
  const goesOn = chain === null || chain.status === 'running' || chain.status === 'held'
  return goesOn ? null : chain.endedAt
}
