// Which host this machine is, and what its workers offer. Only the user says so, never a project.
import { hostname } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { HOST_ID_HINT, isHostId } from '../core/host-id.ts'
import { RepriseError } from '../errors.ts'
import type { Environment } from './home.ts'
import type { UserFile } from './schema.ts'

/** What the workers of this machine offer to jobs. */
export type WorkerSettings = {
  /** Jobs that name labels run on workers that have all of them. */
  readonly labels: readonly string[]
  /** Directories that other hosts have under the same path. */
  readonly sharedRoots: readonly string[]
  /** How many jobs `reprise worker` works on at a time; absent: two. */
  readonly concurrency?: number
}

/** `REPRISE_HOST`, else `host` of the user's file, else the name of the machine. */
export function hostOf(env: Environment, user: UserFile): string {
  const variable = env.REPRISE_HOST
  if (!variable) return user.host ?? hostname()
  if (isHostId(variable)) return variable
  throw new RepriseError(
    'bad-config',
    `REPRISE_HOST is \`${variable}\`, which cannot be the id of a host`,
    HOST_ID_HINT,
  )
}

export function workerOf({ worker = {} }: UserFile, path: string): WorkerSettings {
  const { labels = [], sharedRoots = [], concurrency } = worker
  const relative = sharedRoots.find(root => !isAbsolute(root))
  if (relative !== undefined) {
    throw new RepriseError(
      'bad-config',
      `${path}: worker.sharedRoots has \`${relative}\`, which is not an absolute path`,
      'Name the directory as all hosts see it, such as /srv/shared.',
    )
  }
  return {
    labels,
    sharedRoots: sharedRoots.map(root => resolve(root)),
    ...(concurrency !== undefined && { concurrency }),
  }
}
