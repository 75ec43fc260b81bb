// Whose process a run used, in words.
import type { Run } from '../run/run.ts'
import type { EventBody } from '../run/run-events.ts'
import { PRE_WARM_PREFIX } from './pre-warm.ts'
import { NOT_USED_CODE } from './why-new-process.ts'

/** `null` when nobody knows: the run has not started, or an earlier version stored it. `events`: the first ones of the run. */
export function processWords(
  { process, processRunId }: Pick<Run, 'process' | 'processRunId'>,
  events: readonly EventBody[] = [],
): string | null {
  if (process === null) return null
  if (process === 'new') return whyNew(events) ?? 'new'
  return processRunId?.startsWith(`${PRE_WARM_PREFIX}_`)
    ? 'warm: started before the prompt came'
    : `warm: started by ${processRunId}`
}

function whyNew(events: readonly EventBody[]): string | null {
  const notice = events.find(event => event.type === 'notice' && event.code === NOT_USED_CODE)
  return notice?.type === 'notice' ? `new. ${notice.text}` : null
}
