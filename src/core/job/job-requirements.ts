// Which workers may have a job: those on the host of its directory, those that share it, those with its labels.
import type { Job } from './job.ts'
import type { Requirements } from './lane.ts'

export type PlacedJob = Pick<Job, 'host' | 'workspace' | 'sharedRoot' | 'labels'>

/** A repository can be checked out anywhere. A job of an earlier version has no host, so any worker may have it. */
export function requirementsOfJob({
  host,
  workspace,
  sharedRoot,
  labels,
}: PlacedJob): Requirements {
  const isBound = workspace === null && sharedRoot === null
  return { host: isBound ? host : null, root: workspace === null ? sharedRoot : null, labels }
}

/** The innermost of the roots that holds the directory. */
export function rootAround(directory: string, roots: readonly string[]): string | null {
  const around = roots.filter(root => isWithin(directory, root))
  return around.toSorted((one, other) => other.length - one.length)[0] ?? null
}

function isWithin(directory: string, root: string): boolean {
  return directory === root || directory.startsWith(root.endsWith('/') ? root : `${root}/`)
}
