// Takes checkpoints of a work tree in a repository before and after a run, and keeps them where other hosts find them.
import { makeBundle } from '../../checkpoints/bundle.ts'
import type { Checkpoint, Repository } from '../../checkpoints/checkpoint.ts'
import { forget, listCheckpoints, takeCheckpoint } from '../../checkpoints/checkpoints.ts'
import { headOf, treeOf } from '../../checkpoints/repository.ts'
import { snapshot } from '../../checkpoints/snapshot.ts'
import type { Job } from '../../core/job/job.ts'
import type { Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { PieceFence } from '../../store/contract/pieces.ts'
import type { Dependencies } from '../dependencies.ts'
import { type Entered, repositoryAt } from './enter-workspace.ts'
import { checkpointIn, isNewest, keptAmong, keptName, tokenIn } from './kept-names.ts'

export type KeptRun = {
  readonly entered: Entered
  readonly lease: Lease
  readonly run: Pick<Run, 'jobId' | 'attempt'>
  readonly kind: 'before' | 'after'
}

/** So many thin bundles follow each other before one holds everything again. */
const MOST_KEPT = 20

/** Gives why the files do not travel; `null` when they do. The run goes on in either case. */
export async function keepFiles(
  dependencies: Dependencies,
  keeping: KeptRun,
): Promise<string | null> {
  const { workspaces, git } = dependencies
  const { lease, entered } = keeping
  try {
    const repository = await repositoryAt(git, entered.workDir)
    if (repository === null) return 'the repository of the work tree cannot be read any more'
    await workspaces.alone(lease.threadId, async () => {
      await takeIfChanged(dependencies, repository, keeping)
      const { owner, commit } = entered
      const isOfJob = keeping.run.jobId !== null
      const { threadId, token } = lease
      const fence = { threadId, token }
      await keepNew(dependencies, repository, { owner, commit, threadId, token, fence, isOfJob })
      // The agent of this run has read the news.
      if (keeping.kind === 'after') await workspaces.note(lease.threadId, { news: null })
    })
    return null
  } catch (error) {
    if (error instanceof RepriseError) return error.message
    throw error
  }
}

/** After a person restored a checkpoint: the next attempt, on whichever host, begins there. */
export async function keepRestored(
  dependencies: Dependencies,
  { job, repository }: { readonly job: Job; readonly repository: Repository },
): Promise<void> {
  const { git, clock, workspaces } = dependencies
  const { id: jobId, threadId, workspace } = job
  const { kept } = (await workspaces.find(threadId)) ?? { kept: null }
  // Nobody may hold the thread now; a later holder has a higher token than the last one.
  const token = kept === null ? 0 : tokenIn(kept)
  await takeCheckpoint(git, repository, { jobId, kind: 'safety', attempt: null, at: clock.now() })
  const known = { owner: jobId, commit: workspace?.commit ?? '', threadId, token }
  const fence = { threadId, token: null }
  await keepNew(dependencies, repository, { ...known, fence, isOfJob: true })
}

/** A job has a checkpoint before and after each attempt; other threads have one when something changed. */
async function takeIfChanged(
  { git, store, clock, offer: { host } }: Dependencies,
  repository: Repository,
  { entered, run, kind }: KeptRun,
): Promise<void> {
  const { owner: jobId, commit } = entered
  const last = (await listCheckpoints(git, repository, jobId)).at(-1)
  if (run.jobId === null) {
    const head = await headOf(git, repository)
    const { tree } = await snapshot(git, repository)
    const same = last ?? {
      tree: await treeOf(git, repository, commit),
      head: { commit, branch: null },
    }
    const isSameHead = head.commit === same.head.commit && head.branch === same.head.branch
    if (tree === same.tree && isSameHead) return
  } else if (kind === 'before' || last?.kind !== 'before') {
    return
  }
  const attempt = run.jobId === null ? null : (last?.attempt ?? run.attempt)
  const gitDir = repository.commonDir
  if (run.jobId !== null) await store.keepCheckpointPlace({ jobId, gitDir, host })
  await takeCheckpoint(git, repository, { jobId, kind, attempt, at: clock.now() })
}

type NewKept = Pick<Entered, 'owner' | 'commit'> &
  Pick<Lease, 'threadId' | 'token'> & { readonly fence: PieceFence; readonly isOfJob: boolean }

async function keepNew(
  dependencies: Dependencies,
  repository: Repository,
  { owner, commit, threadId, token, fence, isOfJob }: NewKept,
): Promise<void> {
  const { git, vault, workspaces } = dependencies
  const all = await listCheckpoints(git, repository, owner)
  const record = await workspaces.find(threadId)
  const keptNumber = record?.kept ? (checkpointIn(record.kept) ?? 0) : 0
  const fresh = all.filter(({ number }) => number > keptNumber)
  const latest = fresh.at(-1)
  if (latest === undefined) return
  const names = keptAmong(await vault.objects.list(owner))
  const name = keptName(token, latest.number)
  // Another host holds the thread by now, and has kept its own files.
  if (!isNewest(name, names)) throw tooLate()
  const isFull = names.length === 0 || names.length >= MOST_KEPT
  const checkpoints = isFull ? all : fresh
  const known = isFull ? [commit] : [commit, ...tipsOf(all, keptNumber)]
  const { bytes } = await makeBundle(git, repository, { checkpoints, known })
  // A full one holds all that the older ones hold.
  const instead = isFull ? names.filter(other => other < name) : []
  await vault.objects.put({ owner, name }, bytes, { fence, instead })
  await workspaces.note(threadId, { kept: name })
  // The refs of a job are its history; of a thread, only the last state is needed.
  if (!isOfJob) await forget(git, repository.commonDir, all.slice(0, -1))
}

/** What the last kept bundle ended with; all hosts that read the next one have it. */
function tipsOf(all: readonly Checkpoint[], keptNumber: number): readonly string[] {
  const last = all.findLast(({ number }) => number <= keptNumber)
  return last ? [last.commit] : []
}

function tooLate(): RepriseError {
  const what = 'another host has taken over the thread and kept its own files'
  return new RepriseError('lease-lost', what, 'Run `reprise runs` to see which run goes on.')
}
