// Takes, lists, compares and removes checkpoints of jobs. They are commits under refs/reprise/<job>/<number>.

import { REF_PREFIX } from '../core/job/checkpoint-keeping.ts'
import type { Git } from '../runner/git.ts'
import { type Change, type Checkpoint, type Repository, refOf } from './checkpoint.ts'
import { type Note, noteIn } from './checkpoint-note.ts'
import { asked, headOf, lineOf, splitZ } from './repository.ts'
import { snapshot } from './snapshot.ts'

export type Taking = Pick<Checkpoint, 'jobId' | 'kind' | 'attempt' | 'at'>

/** The stored checkpoint names at most so many paths. */
const MAX_NOT_KEPT = 100

const JOB_ID = /^[A-Za-z0-9_]+$/

export async function takeCheckpoint(
  git: Git,
  repository: Repository,
  { jobId, kind, attempt, at }: Taking,
): Promise<Checkpoint> {
  const { root } = repository
  const head = await headOf(git, repository)
  const { tree, notKept } = await snapshot(git, repository)
  const number = ((await listCheckpoints(git, repository, jobId)).at(-1)?.number ?? 0) + 1
  const note: Note = { kind, attempt, at, head, notKept }
  const stored: Note = { ...note, notKept: notKept.slice(0, MAX_NOT_KEPT) }
  const parent = head.commit ? ['-p', head.commit] : []
  const commit = await asked(git, {
    cwd: root,
    args: ['commit-tree', tree, ...parent],
    stdin: `Reprise checkpoint ${number} of ${jobId} (${kind})\n\n${JSON.stringify(stored)}\n`,
  })
  const id = lineOf(commit) ?? ''
  const ref = refOf(jobId, number)
  // The empty old value makes git refuse to move an existing ref.
  await asked(git, { cwd: root, args: ['update-ref', ref, id, '0'.repeat(id.length)] })
  return { ...note, jobId, number, ref, commit: id, tree }
}

/** The checkpoints of a job, in order. */
export function listCheckpoints(
  git: Git,
  { root }: Repository,
  jobId: string,
): Promise<readonly Checkpoint[]> {
  return listIn(git, root, jobId)
}

async function listIn(git: Git, cwd: string, jobId: string): Promise<readonly Checkpoint[]> {
  if (!JOB_ID.test(jobId)) throw new TypeError(`${jobId} is not the id of a job`)
  const format = '%(refname)%00%(objectname)%00%(tree)%00%(contents:body)%00'
  const args = ['for-each-ref', `--format=${format}`, `${REF_PREFIX}/${jobId}/`]
  const fields = splitZ((await asked(git, { cwd, args })).stdout)
  const checkpoints: Checkpoint[] = []
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [ref = '', commit = '', tree = '', body = ''] = fields.slice(at, at + 4)
    const number = Number(ref.trim().split('/').at(-1))
    checkpoints.push({ ...noteIn(body), jobId, number, ref: ref.trim(), commit, tree })
  }
  return checkpoints.toSorted((a, b) => a.number - b.number)
}

export async function changesBetween(
  git: Git,
  { root }: Repository,
  [from, to]: readonly [string, string],
): Promise<readonly Change[]> {
  const args = [
    'diff-tree',
    '-r',
    '-z',
    '--no-renames',
    '--no-commit-id',
    '--name-status',
    from,
    to,
  ]
  const fields = splitZ((await asked(git, { cwd: root, args })).stdout)
  const changes: Change[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const status = STATUS[fields[at]?.[0] ?? ''] ?? 'changed'
    changes.push({ status, path: fields[at + 1] ?? '' })
  }
  return changes
}

const STATUS: Readonly<Record<string, Change['status']>> = { A: 'added', D: 'removed' }

/** Returns how many were removed. */
export async function forgetCheckpoints(git: Git, gitDir: string, jobId: string): Promise<number> {
  const checkpoints = await listIn(git, gitDir, jobId)
  await forget(git, gitDir, checkpoints)
  return checkpoints.length
}

export async function forget(
  git: Git,
  gitDir: string,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  const stdin = checkpoints.map(({ ref, commit }) => `delete ${ref} ${commit}\n`).join('')
  await asked(git, { cwd: gitDir, args: ['update-ref', '--stdin'], stdin })
}

/** How many checkpoints each job has there. */
export async function checkpointCounts(
  git: Git,
  gitDir: string,
): Promise<ReadonlyMap<string, number>> {
  const args = ['for-each-ref', '--format=%(refname)', `${REF_PREFIX}/`]
  const { stdout } = await asked(git, { cwd: gitDir, args })
  const counts = new Map<string, number>()
  for (const ref of stdout.toString('utf8').split('\n').filter(Boolean)) {
    const jobId = ref.slice(REF_PREFIX.length + 1).split('/')[0] ?? ''
    counts.set(jobId, (counts.get(jobId) ?? 0) + 1)
  }
  return counts
}
