// Whose process a run used, in words.
import type { Run } from '../run/run.ts'
import { PRE_WARM_PREFIX } from './pre-warm.ts'

/** `null` when nobody knows: the run has not started, or an earlier version stored it. */
export function processWords({
  process,
  processRunId,
}: Pick<Run, 'process' | 'processRunId'>): string | null {
  if (process === null) return null
  if (process === 'new') return 'new'
  return processRunId?.startsWith(`${PRE_WARM_PREFIX}_`)
    ? 'warm: started before the prompt came'
    : `warm: started by ${processRunId}`
}
