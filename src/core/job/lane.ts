// Which workers may have a piece of work. What it requires is written as one text, its lane, so that an engine can compare it.

export type Requirements = {
  /** The host whose disk has the work dir; `null`: any host will do, or `root` says which. */
  readonly host: string | null
  /** A directory that several hosts share and that holds the work dir. */
  readonly root: string | null
  /** Words that the worker must carry, such as `gpu`. */
  readonly labels: readonly string[]
}

export type LaneWorker = {
  readonly host: string
  /** Directories that this worker's host shares with others. */
  readonly sharedRoots: readonly string[]
  readonly labels: readonly string[]
}

/** The lane of work that every worker may have. */
export const ANY_LANE = ''

/** Equal requirements have equal lanes, whatever the order of their labels. */
export function laneOf({ host, root, labels }: Requirements): string {
  const lane = new URLSearchParams()
  if (host !== null) lane.append('host', host)
  if (root !== null) lane.append('root', root)
  for (const label of [...new Set(labels)].toSorted()) lane.append('label', label)
  return lane.toString()
}

export function requirementsOf(lane: string): Requirements {
  const read = new URLSearchParams(lane)
  return { host: read.get('host'), root: read.get('root'), labels: read.getAll('label') }
}

/** The worker must be on the host or share the root, and carry all labels. */
export function takesLane(worker: LaneWorker, lane: string): boolean {
  const { host, root, labels } = requirementsOf(lane)
  const isAnywhere = host === null && root === null
  const isHere = host === worker.host || (root !== null && worker.sharedRoots.includes(root))
  return (isAnywhere || isHere) && labels.every(label => worker.labels.includes(label))
}
