// The checkpoints of a job in the user's repository as one git bundle: without the branches of the repository, and without what a
// clone of its remotes has.
import { makeBundle, readBundle } from '../../checkpoints/bundle.ts'
import { listCheckpoints } from '../../checkpoints/checkpoints.ts'
import { remoteCommits } from '../../checkpoints/repository.ts'
import { REF_PREFIX } from '../../core/job/checkpoint-keeping.ts'
import { RepriseError } from '../../errors.ts'
import { damaged } from '../../thread-file/head.ts'
import type { Dependencies } from '../dependencies.ts'
import { repositoryOf } from '../jobs/job-checkpoints.ts'

/** An imported thread keeps the bundle that came with it as an object of the vault. */
export const BUNDLE_NAME = 'checkpoints.bundle'

/** `null`: the thread has no checkpoints, or they are kept in the vault one by one, as those of a repository workspace are. */
export async function checkpointBundle(
  dependencies: Dependencies,
  threadId: string,
): Promise<Uint8Array | null> {
  const { store, vault, git } = dependencies
  const job = await store.jobOfThread(threadId)
  if (job === null) return vault.objects.get({ owner: threadId, name: BUNDLE_NAME })
  if (job.workspace !== null) return null
  const repository = await repositoryOf(dependencies, job)
  const checkpoints = repository ? await listCheckpoints(git, repository, job.id) : []
  if (repository === null || checkpoints.length === 0) return null
  const known = await remoteCommits(git, repository)
  const refs = 'checkpoints-only' as const
  return (await makeBundle(git, repository, { checkpoints, known, refs })).bytes
}

/** Refuses a bundle that names anything but checkpoints: a user may fetch all of it. */
export function checkBundle(bytes: Buffer): void {
  const refs = [...refsIn(bytes)]
  const isOurs = refs.every(ref => CHECKPOINT.test(ref))
  if (refs.length === 0 || !isOurs)
    throw damaged('its bundle names something else than checkpoints')
}

const CHECKPOINT = new RegExp(`^${REF_PREFIX}/[A-Za-z0-9_]{1,64}/\\d{1,9}$`)

function refsIn(bytes: Buffer): Iterable<string> {
  try {
    return readBundle(bytes).header.refs.keys()
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    throw damaged('its bundle is not one of git')
  }
}
