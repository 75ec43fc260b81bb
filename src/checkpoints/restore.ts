// Restores the files of a work dir from a checkpoint. HEAD, branches, index, stash and ignored files stay as they are.
import { promises as disk } from 'node:fs'
import { dirname, join } from 'node:path'
import { RepriseError } from '../errors.ts'
import type { Git } from '../runner/git.ts'
import type { Change, Checkpoint, Repository } from './checkpoint.ts'
import { changesBetween, takeCheckpoint } from './checkpoints.ts'
import { asked, splitZ } from './repository.ts'
import { type Snapshot, snapshot } from './snapshot.ts'

export type Restored = {
  /** The checkpoint of the state right before the restore, to undo it. */
  readonly safety: Checkpoint
  readonly changes: readonly Change[]
}

type Wanted = { readonly path: string; readonly mode: string; readonly blob: string }

/** What a restore would change in the work dir now. It changes nothing. */
export async function changesOfRestore(
  git: Git,
  repository: Repository,
  { tree }: Pick<Checkpoint, 'tree'>,
): Promise<readonly Change[]> {
  const now = await snapshot(git, repository)
  const left = new Set(now.notKept)
  const changes = await changesBetween(git, repository, [now.tree, tree])
  return changes.filter(({ path }) => !left.has(path))
}

export async function restoreCheckpoint(
  git: Git,
  repository: Repository,
  { checkpoint, at }: { readonly checkpoint: Checkpoint; readonly at: number },
): Promise<Restored> {
  const { jobId } = checkpoint
  const safety = await takeCheckpoint(git, repository, { jobId, kind: 'safety', attempt: null, at })
  const changes = await putFilesBack(git, repository, { checkpoint, now: safety })
  return { safety, changes }
}

/** Makes the files as the checkpoint has them; `now`: as they are. What is overwritten is kept nowhere. */
export async function putFilesBack(
  git: Git,
  repository: Repository,
  { checkpoint, now }: { readonly checkpoint: Checkpoint; readonly now: Snapshot },
): Promise<readonly Change[]> {
  const changes = await changesBetween(git, repository, [now.tree, checkpoint.tree])
  const removed = changes.filter(({ status }) => status === 'removed').map(({ path }) => path)
  const wanted = await wantedOf(git, repository, { checkpoint, changes })
  // A file that is too large for a checkpoint stays, because it could not be restored.
  const left = new Set(now.notKept)
  const files = wanted.filter(({ mode, path }) => mode !== '160000' && !left.has(path))
  const leaving = { paths: new Set(removed), parents: new Set(removed.flatMap(parentsOf)) }
  const known = new Set(changes.filter(c => c.status === 'changed').map(({ path }) => path))
  await refuseInTheWay(repository, { files, leaving, known })
  // A submodule that is not in the checkpoint stays: Reprise does not delete its files.
  for (const path of removed) await remove(repository, path)
  for (const file of files) await write(git, repository, file)
  return changes
}

async function wantedOf(
  git: Git,
  { root }: Repository,
  { checkpoint, changes }: { checkpoint: Checkpoint; changes: readonly Change[] },
): Promise<readonly Wanted[]> {
  const paths = new Set(changes.filter(c => c.status !== 'removed').map(({ path }) => path))
  const args = ['ls-tree', '-r', '-z', checkpoint.tree]
  const { stdout } = await asked(git, { cwd: root, args })
  return splitZ(stdout).flatMap(line => {
    const path = line.slice(line.indexOf('\t') + 1)
    const [mode = '', , blob = ''] = line.slice(0, line.indexOf('\t')).split(' ')
    return paths.has(path) ? [{ path, mode, blob }] : []
  })
}

/** Files to remove, and their directories. */
type Leaving = { readonly paths: ReadonlySet<string>; readonly parents: ReadonlySet<string> }

/** Runs before any change: files that no checkpoint holds (ignored files, links out of the work dir) must not be lost. */
async function refuseInTheWay(
  { root }: Repository,
  plan: { files: readonly Wanted[]; leaving: Leaving; known: ReadonlySet<string> },
): Promise<void> {
  for (const { path } of plan.files) {
    for (const parent of parentsOf(path)) {
      if (plan.leaving.paths.has(parent)) continue
      const stat = await disk.lstat(join(root, parent)).catch(() => null) // It is missing, and will be made.
      if (stat !== null && !stat.isDirectory()) throw inTheWay(parent)
    }
    if (plan.known.has(path)) continue
    const stat = await disk.lstat(join(root, path)).catch(() => null) // As it should be.
    if (stat === null) continue
    if (!stat.isDirectory() || !plan.leaving.parents.has(path)) throw inTheWay(path)
  }
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

async function remove({ root }: Repository, path: string): Promise<void> {
  const place = join(root, path)
  const stat = await disk.lstat(place).catch(() => null) // Already gone.
  if (stat === null || stat.isDirectory()) return
  await disk.rm(place)
  for (const parent of parentsOf(path).toReversed()) {
    const isEmpty = await disk.rmdir(join(root, parent)).then(
      () => true,
      () => false, // Something else is in it.
    )
    if (!isEmpty) return
  }
}

async function write(git: Git, { root }: Repository, file: Wanted): Promise<void> {
  const args = ['cat-file', 'blob', file.blob]
  const { stdout } = await asked(git, { cwd: root, args })
  const place = join(root, file.path)
  await disk.mkdir(dirname(place), { recursive: true })
  // A rename replaces the file in one step, so that a reader sees the old or the new file.
  const draft = `${place}.${crypto.randomUUID().slice(0, 8)}.reprise`
  if (file.mode === '120000') await disk.symlink(stdout, draft)
  else {
    await disk.writeFile(draft, stdout, { flag: 'wx' })
    if (file.mode === '100755') await disk.chmod(draft, 0o755)
  }
  await disk.rename(draft, place)
}

function inTheWay(path: string): RepriseError {
  return new RepriseError(
    'conflict',
    `${path} is in the way and is kept nowhere else (ignored by git, or a link); nothing was changed`,
    'Move it away, then run the same `reprise jobs restore` again.',
  )
}
