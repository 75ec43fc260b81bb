// Before a run in a repository: makes or finds the work tree on this host, and brings it to the state in which another host left it.
import {
  addBundle,
  type BundleHeader,
  moveToBundle,
  nameCheckpoints,
} from '../../checkpoints/bundle.ts'
import type { Checkpoint, Repository } from '../../checkpoints/checkpoint.ts'
import { listCheckpoints } from '../../checkpoints/checkpoints.ts'
import { findRepository, headOf, isRepository, treeOf } from '../../checkpoints/repository.ts'
import { putFilesBack } from '../../checkpoints/restore.ts'
import { snapshot } from '../../checkpoints/snapshot.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { Job } from '../../core/job/job.ts'
import type { Run } from '../../core/run/run.ts'
import type { Workspace } from '../../core/run/workspace.ts'
import { workspaceNews } from '../../core/run/workspace-news.ts'
import { RepriseError } from '../../errors.ts'
import type { WorkspaceRecord } from '../../workspaces/record.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkpointIn, isNewest, keptAmong } from './kept-names.ts'

export type ThreadInRepository = Pick<ThreadRecord, 'id'> & { readonly workspace: Workspace }

export type Entered = {
  /** The work tree on this host. */
  readonly workDir: string
  /** Whose checkpoints it has: the job that owns the thread, else the thread. */
  readonly owner: string
  /** The commit at which every host begins. */
  readonly commit: string
  /** The clones on this host whose objects it borrows. */
  readonly borrowed: readonly string[]
  /** What the agent must know about the files; `null`: they are as they were left. */
  readonly news: string | null
}

export async function enterWorkspace(
  dependencies: Dependencies,
  thread: ThreadInRepository,
  signal?: AbortSignal,
): Promise<Entered> {
  const { workspaces, store } = dependencies
  const commit = await settledCommit(dependencies, thread, signal)
  const owner = (await store.jobOfThread(thread.id))?.id ?? thread.id
  const place = { thread, owner, commit, signal }
  await workspaces.alone(thread.id, () => bringUpToDate(dependencies, place), signal)
  const { news = null, caches = [] } = (await workspaces.find(thread.id)) ?? {}
  const borrowed = caches.map(workspaces.cachePath)
  const path = workspaces.pathOf(thread.id)
  // An agent starts in a real path.
  const workDir = (await dependencies.files.realpath(path)) ?? path
  return { workDir, owner, commit, borrowed, news }
}

/** Whether the work tree of a job on this host is the one of its last attempt. */
export async function isCurrent(
  { workspaces, vault }: Dependencies,
  { id, threadId }: Pick<Job, 'id' | 'threadId'>,
): Promise<boolean> {
  const here = await workspaces.find(threadId)
  return here !== null && isNewest(here.kept, keptAmong(await vault.objects.list(id)))
}

/** The first host that looks decides for all of them, because a branch moves. */
async function settledCommit(
  { workspaces, store }: Dependencies,
  { id: threadId, workspace }: ThreadInRepository,
  signal: AbortSignal | undefined,
): Promise<string> {
  const known = workspace.commit ?? (await store.thread(threadId))?.workspace?.commit
  if (known) return known
  const found = await workspaces.commitOf(workspace, signal)
  return (await store.settleCommit({ threadId, commit: found })) ?? found
}

type Place = Pick<Entered, 'owner' | 'commit'> & {
  readonly thread: ThreadInRepository
  readonly signal: AbortSignal | undefined
}

async function bringUpToDate(dependencies: Dependencies, place: Place): Promise<void> {
  const { workspaces, vault, store } = dependencies
  const { thread, owner, commit, signal } = place
  const { id } = thread
  const names = keptAmong(await vault.objects.list(owner))
  const here = await workspaces.find(id)
  const isLatest = here !== null && isNewest(here.kept, names)
  if (isLatest && !(await ranElsewhere(dependencies, place))) return workspaces.note(id, {})
  const continues = here !== null && (await isAsKept(dependencies, place, here))
  if (isLatest && continues) return workspaces.note(id, {})
  const made = continues
    ? { movedTo: null }
    : await workspaces.make({ ...thread.workspace, id, commit, signal })
  const from = continues ? here.kept : null
  const restored = await takeOver(dependencies, place, { names, from })
  if (names.length === 0 && made.movedTo === null) return
  const news = workspaceNews({
    at: restored.checkpoint?.at ?? null,
    isWhole: restored.isWhole,
    isNew: !continues,
    movedTo: made.movedTo,
    diedSince: diedSince(
      await store.listRuns({ threadId: id, limit: 20 }),
      restored.checkpoint?.at ?? null,
    ),
  })
  await workspaces.note(id, { kept: restored.name, news })
}

/** Another host ran the thread after this one, and may have kept nothing because nothing changed there. */
async function ranElsewhere(
  { store, offer }: Dependencies,
  { thread: { id: threadId }, owner }: Place,
): Promise<boolean> {
  // Each attempt of a job keeps a checkpoint before it begins. The machine of a store in a file may have got another name.
  if (owner !== threadId || store.reach === 'one-host') return false
  const runs = await store.listRuns({ threadId, limit: 20 })
  const last = runs.find(run => run.startedAt !== null)
  return last !== undefined && last.host !== null && last.host !== offer.host
}

/** Nobody changed the work tree since this host kept its last checkpoint, so nothing is lost when it moves on. */
async function isAsKept(
  { git, workspaces }: Dependencies,
  { thread, owner, commit }: Place,
  { kept }: WorkspaceRecord,
): Promise<boolean> {
  const repository = await repositoryAt(git, workspaces.pathOf(thread.id))
  if (repository === null) return false
  try {
    const last = (await listCheckpoints(git, repository, owner)).at(-1)
    if ((last?.number ?? 0) !== (kept === null ? 0 : checkpointIn(kept))) return false
    const head = await headOf(git, repository)
    const { tree } = await snapshot(git, repository)
    if (last) return tree === last.tree && head.commit === last.head.commit
    return head.commit === commit && tree === (await treeOf(git, repository, commit))
  } catch (error) {
    if (error instanceof RepriseError) return false
    throw error
  }
}

type TakenOver = {
  /** The last kept checkpoint that could be used. */
  readonly name: string | null
  readonly checkpoint: Checkpoint | null
  readonly isWhole: boolean
}

async function takeOver(
  { git, workspaces, vault }: Dependencies,
  { thread, owner }: Place,
  { names, from }: { readonly names: readonly string[]; readonly from: string | null },
): Promise<TakenOver> {
  const repository = await repositoryAt(git, workspaces.pathOf(thread.id))
  if (repository === null) return { name: from, checkpoint: null, isWhole: false }
  let last: { readonly name: string; readonly header: BundleHeader } | null = null
  let isWhole = true
  for (const name of names.filter(other => other > (from ?? ''))) {
    const bytes = await vault.objects.get({ owner, name })
    // An empty one was replaced by a later one that holds all of it, and so was one that has gone since it was listed.
    if (bytes?.byteLength === 0 || (bytes === null && !(await isListed(vault, owner, name))))
      continue
    const header = bytes && (await added(git, repository, Buffer.from(bytes)))
    if (!header) {
      isWhole = false
      break
    }
    await nameCheckpoints(git, repository, { owner, header })
    last = { name, header }
  }
  if (last === null) return { name: from, checkpoint: null, isWhole }
  // Not the one with the highest number: a former holder may have kept more of them, too late.
  const inLast = new Set(last.header.refs.values())
  const all = await listCheckpoints(git, repository, owner)
  const checkpoint = all.findLast(({ commit }) => inLast.has(commit)) ?? null
  if (checkpoint) {
    await moveToBundle(git, repository, { header: last.header, checkpoint })
    const now = await snapshot(git, repository)
    await putFilesBack(git, repository, { checkpoint, now })
  }
  return { name: last.name, checkpoint, isWhole }
}

async function isListed(
  { objects }: Dependencies['vault'],
  owner: string,
  name: string,
): Promise<boolean> {
  return (await objects.list(owner)).some(object => object.name === name)
}

/** `null`: it is damaged, or one before it is missing. */
async function added(
  git: Dependencies['git'],
  repository: Repository,
  bytes: Buffer,
): Promise<BundleHeader | null> {
  try {
    return await addBundle(git, repository, bytes)
  } catch (error) {
    if (error instanceof RepriseError && error.code === 'conflict') return null
    throw error
  }
}

/** Whether the run before this one, of these from the newest on, died with its host: what it changed is not here. */
export function diedSince(
  runs: readonly Pick<Run, 'startedAt' | 'endedAt' | 'failure'>[],
  keptAt: number | null,
): boolean {
  const last = runs.find(run => run.startedAt !== null && run.endedAt !== null)
  if (last?.failure?.class !== 'supervisor-died') return false
  return keptAt === null || (last.startedAt ?? 0) >= keptAt
}

/** `null`: what is there is not a repository that git can use. */
export async function repositoryAt(
  git: Dependencies['git'],
  directory: string,
): Promise<Repository | null> {
  const found = await findRepository(git, directory).catch(() => null) // It is not there.
  return found !== null && isRepository(found) ? found : null
}
