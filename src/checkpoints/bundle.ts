// A checkpoint as a git bundle: the objects that are new since the commit at which every host begins, and the branches.
// Git works in a directory of our own, so no config of the work tree takes part. `git bundle verify` reads what this writes.
import { REF_PREFIX } from '../core/job/checkpoint-keeping.ts'
import { RepriseError } from '../errors.ts'
import type { Git } from '../runner/git.ts'
import { type Checkpoint, type Repository, refOf } from './checkpoint.ts'
import { withPrivateIndex } from './private-index.ts'
import { asked, splitZ } from './repository.ts'

/** What a bundle says at its beginning. */
export type BundleHeader = {
  /** Commits that a repository must have before the bundle can be added. */
  readonly needs: readonly string[]
  /** Ref → commit: the checkpoint, and the branches of that time. */
  readonly refs: ReadonlyMap<string, string>
}

export type Bundle = BundleHeader & { readonly bytes: Buffer }

/** Larger ones do not travel: the next host begins at the last one that did. */
const MAX_BUNDLE_BYTES = 256 * 1024 * 1024

const BRANCHES = 'refs/heads/'

export type BundleContent = {
  readonly checkpoints: readonly Checkpoint[]
  /** Commits that every host has that will read this bundle. */
  readonly known: readonly string[]
  /** Default: with the branches, so that a work tree can be made of it. */
  readonly refs?: 'checkpoints-only'
}

export async function makeBundle(
  git: Git,
  repository: Repository,
  { checkpoints, known, refs: which }: BundleContent,
): Promise<Bundle> {
  const own = checkpoints.map(({ ref, commit }) => [ref, commit] as const)
  const branches = which === 'checkpoints-only' ? [] : await branchesOf(git, repository)
  const refs = new Map([...own, ...branches])
  return withPrivateIndex(git, repository, async privateDir => {
    const inside: Git = call => git({ ...call, privateDir })
    const needs = await present(inside, repository, known)
    const tips = [...new Set(refs.values())]
    const { stdout } = await asked(inside, {
      cwd: repository.root,
      args: ['pack-objects', '--revs', '--thin', '--stdout', '--quiet', '--delta-base-offset'],
      stdin: [...tips, '--not', ...needs].map(line => `${line}\n`).join(''),
    })
    const bytes = Buffer.concat([headerBytes(repository, { needs, refs }), stdout])
    if (bytes.length > MAX_BUNDLE_BYTES) throw tooLarge(bytes.length)
    return { needs, refs, bytes }
  })
}

/** Adds the objects of a bundle. Throws when the repository lacks what it needs, or when the bytes are not a bundle. */
export async function addBundle(
  git: Git,
  repository: Repository,
  bytes: Buffer,
): Promise<BundleHeader> {
  const { header, pack } = readBundle(bytes)
  await withPrivateIndex(git, repository, async privateDir => {
    const inside: Git = call => git({ ...call, privateDir })
    const found = await present(inside, repository, header.needs)
    if (found.length < header.needs.length) throw incomplete('its earlier commits are not here')
    await asked(inside, {
      cwd: repository.root,
      args: ['index-pack', '--stdin', '--fix-thin'],
      stdin: pack,
    })
    const tips = [...header.refs.values()]
    const here = await present(inside, repository, tips)
    if (here.length < tips.length) throw incomplete('it does not hold what it names')
  })
  return header
}

/** Gives the work tree the checkpoint and the branches of a bundle. The files stay as they are. */
export async function moveToBundle(
  git: Git,
  repository: Repository,
  { header, checkpoint }: { readonly header: BundleHeader; readonly checkpoint: Checkpoint },
): Promise<void> {
  const cwd = repository.root
  const { head } = checkpoint
  // First away from every branch, so that each can be moved.
  if (head.commit)
    await asked(git, { cwd, args: ['update-ref', '--no-deref', 'HEAD', head.commit] })
  const branches = new Set((await branchesOf(git, repository)).map(([ref]) => ref))
  const kept = [...header.refs].filter(([ref]) => ref.startsWith(BRANCHES))
  const gone = [...branches].filter(ref => !header.refs.has(ref))
  const stdin = [
    ...gone.map(ref => `delete ${ref}\n`),
    ...kept.map(([ref, commit]) => `update ${ref} ${commit}\n`),
  ].join('')
  await asked(git, { cwd, args: ['update-ref', '--stdin'], stdin })
  if (head.branch !== null) {
    await asked(git, { cwd, args: ['symbolic-ref', 'HEAD', `${BRANCHES}${head.branch}`] })
  }
  if (head.commit) await asked(git, { cwd, args: ['read-tree', '--reset', head.commit] })
}

/** Stores the refs by which the checkpoints of a bundle are listed. */
export async function nameCheckpoints(
  git: Git,
  { root: cwd }: Repository,
  { owner, header }: { readonly owner: string; readonly header: BundleHeader },
): Promise<void> {
  const lines = [...header.refs].flatMap(([ref, commit]) => {
    // A copy of a thread begins with the checkpoints of the thread.
    const number = ref.startsWith(`${REF_PREFIX}/`) ? Number(ref.split('/').at(-1)) : 0
    return Number.isInteger(number) && number > 0
      ? [`update ${refOf(owner, number)} ${commit}\n`]
      : []
  })
  if (lines.length === 0) throw incomplete('it names no checkpoint')
  await asked(git, { cwd, args: ['update-ref', '--stdin'], stdin: lines.join('') })
}

export function readBundle(bytes: Buffer): {
  readonly header: BundleHeader
  readonly pack: Buffer
} {
  const end = bytes.indexOf('\n\n')
  const lines = end < 0 ? [] : bytes.subarray(0, end).toString('utf8').split('\n')
  const signature = lines.shift()
  if (signature !== V2 && signature !== V3) throw incomplete('it is not a bundle of git')
  const needs: string[] = []
  const refs = new Map<string, string>()
  for (const line of lines) {
    if (line.startsWith('@')) continue
    if (line.startsWith('-')) needs.push(line.slice(1).trim())
    else refs.set(line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' ')))
  }
  return { header: { needs, refs }, pack: bytes.subarray(end + 2) }
}

const V2 = '# v2 git bundle'
const V3 = '# v3 git bundle'

function headerBytes({ objectFormat }: Repository, { needs, refs }: BundleHeader): Buffer {
  const lines = [
    ...(objectFormat === 'sha1' ? [V2] : [V3, `@object-format=${objectFormat}`]),
    ...needs.map(commit => `-${commit} `),
    ...[...refs].map(([ref, commit]) => `${commit} ${ref}`),
  ]
  return Buffer.from(`${lines.join('\n')}\n\n`)
}

async function branchesOf(
  git: Git,
  { root: cwd }: Repository,
): Promise<readonly (readonly [string, string])[]> {
  const args = ['for-each-ref', '--format=%(refname)%00%(objectname)%00', BRANCHES]
  const fields = splitZ((await asked(git, { cwd, args })).stdout)
  const branches: [string, string][] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    branches.push([(fields[at] ?? '').trim(), fields[at + 1] ?? ''])
  }
  return branches
}

/** Those of the commits that the repository has. */
async function present(
  inside: Git,
  { root: cwd }: Repository,
  commits: readonly string[],
): Promise<readonly string[]> {
  const stdin = commits.map(commit => `${commit}^{commit}\n`).join('')
  const { stdout } = await asked(inside, { cwd, args: ['cat-file', '--batch-check'], stdin })
  const lines = stdout.toString('latin1').split('\n')
  return commits.filter((_, index) => lines[index]?.includes(' commit ') === true)
}

function tooLarge(bytes: number): RepriseError {
  const what = `the files are too large to travel: ${Math.round(bytes / 1024 / 1024)} MB are new`
  return new RepriseError('too-large', what, 'Add generated files to .gitignore.')
}

function incomplete(why: string): RepriseError {
  const hint = 'The work goes on from the checkpoint before it.'
  return new RepriseError('conflict', `a kept checkpoint cannot be used: ${why}`, hint)
}
