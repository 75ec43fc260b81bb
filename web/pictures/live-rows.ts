// The rows of Live. While the pointer is over them, every row keeps its place, also when its run is over.
import type { Run } from '../../src/core/run/run.ts'

export type LiveRun = {
  readonly run: Run
  /** It ended while its row had to stay; `run` is as it was before. */
  readonly isOver: boolean
}

/** `before`: the rows as they were drawn last. New runs come below them while they must stay. */
export function liveRows(
  before: readonly LiveRun[],
  open: readonly Run[],
  isStill: boolean,
): readonly LiveRun[] {
  const living = open.map(run => ({ run, isOver: false }))
  if (!isStill) return living
  const known = new Set(before.map(({ run }) => run.id))
  const kept = before.map(
    row => living.find(({ run }) => run.id === row.run.id) ?? { ...row, isOver: true },
  )
  return [...kept, ...living.filter(({ run }) => !known.has(run.id))]
}
