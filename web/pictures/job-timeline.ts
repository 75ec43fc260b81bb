// Attempts and checkpoints of a job in one order, joined by the line of the session.
import type { JobCheckpoint } from '../../src/api.ts'
import type { Run } from '../../src/core/run/run.ts'
import { type Joint, jointOf } from './chain-picture.ts'

type Unjoined =
  | { readonly kind: 'attempt'; readonly run: Run; readonly number: number }
  | { readonly kind: 'checkpoint'; readonly checkpoint: JobCheckpoint; readonly attempt: number }

export type TimelineEntry = Unjoined & {
  /** How the line comes from the entry above, and goes on to the one below. */
  readonly above: Joint | 'none'
  readonly below: Joint | 'none'
}

export function jobTimeline(
  attempts: readonly Run[],
  checkpoints: readonly JobCheckpoint[],
): readonly TimelineEntry[] {
  const placed: Unjoined[] = []
  let done = 0
  const place = () => {
    const run = attempts[done]
    if (run === undefined) return
    done += 1
    placed.push({ kind: 'attempt', run, number: done })
  }
  for (const checkpoint of checkpoints) {
    while (isOverBy(attempts[done], checkpoint)) place()
    const attempt = checkpoint.kind === 'after' ? done : done + 1
    placed.push({ kind: 'checkpoint', checkpoint, attempt })
  }
  while (done < attempts.length) place()
  return joined(placed)
}

/** A checkpoint stands after every attempt that was over when it was taken. */
function isOverBy(run: Run | undefined, { at, kind }: JobCheckpoint): boolean {
  if (!run || run.endedAt === null || run.endedAt > at) return false
  return kind === 'after' || (run.startedAt ?? run.queuedAt) < at
}

/** What stands between two attempts carries the line of the later one. */
function joined(entries: readonly Unjoined[]): readonly TimelineEntry[] {
  const firstAttempt = entries.findIndex(({ kind }) => kind === 'attempt')
  const jointInto = (index: number): Joint | 'none' => {
    const next = entries.slice(index).find(entry => entry.kind === 'attempt')
    return next?.kind === 'attempt' ? jointOf(next.run.decision?.action) : 'none'
  }
  return entries.map((entry, index) => ({
    ...entry,
    above: index <= firstAttempt ? 'none' : jointInto(index),
    below: index < firstAttempt ? 'none' : jointInto(index + 1),
  }))
}
