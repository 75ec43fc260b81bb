// Whose process a run used, in words.
import type { Run } from '../run/run.ts'

/** `null` when nobody knows: the run has not started, or an earlier version stored it. */
export function processWords({
  process,
  processRunId,
}: Pick<Run, 'process' | 'processRunId'>): string | null {
  if (process === null) return null
  return process === 'new' ? 'new' : `warm: started by ${processRunId}`
}
