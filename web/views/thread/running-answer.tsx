// The answer while it comes: tools, text, and a line that says what is going on when nothing comes.

import { callSummary } from '../../../src/core/calls/tool-summary.ts'
import type { Run } from '../../../src/core/run/run.ts'
import { Markdown } from '../../content/markdown.tsx'
import { ToolCalls } from '../../content/tool-calls.tsx'
import { useRunProgress } from '../../feed/use-run-progress.ts'
import { Status } from '../../parts/status.tsx'
import { Elapsed } from '../../parts/time.tsx'
import { AskedHere } from './asked-here.tsx'

type Props = {
  readonly run: Run
  /** Its keys work. */
  readonly isSelected: boolean
}

/** Tokens are not announced one by one; the end of the answer is. */
export function RunningAnswer({ run, isSelected }: Props) {
  const progress = useRunProgress(run.id)
  const { tools, text, asks, note, isEnded } = progress
  const open = tools.findLast(({ result }) => result === null)
  const since = open?.startedAt ?? progress.lastEventAt ?? run.startedAt ?? run.queuedAt
  return (
    <div class="answer">
      <ToolCalls calls={tools} />
      <div role="log" aria-live="off" aria-busy={!isEnded}>
        {text !== '' && <Markdown text={text} />}
      </div>
      {asks.length > 0 ? (
        <AskedHere runId={run.id} tools={asks.map(({ tool }) => tool)} isSelected={isSelected} />
      ) : (
        <p class="meta now-line">
          <Status status={run.status} />
          <span>{open ? `${open.name}: ${callSummary(open)}` : (note ?? 'the agent works')}</span>
          <Elapsed since={since} />
        </p>
      )}
      <p class="unseen" role="status">
        {isEnded ? 'The answer is complete.' : ''}
      </p>
    </div>
  )
}
