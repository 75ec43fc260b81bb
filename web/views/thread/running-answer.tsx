// The answer while it comes: tools, text, and a line that says what is going on when nothing comes.
import type { Run } from '../../../src/core/run/run.ts'
import { Markdown } from '../../content/markdown.tsx'
import { ToolCalls } from '../../content/tool-calls.tsx'
import { useRunProgress } from '../../feed/use-run-progress.ts'
import { Status } from '../../parts/status.tsx'
import { Elapsed } from '../../parts/time.tsx'
import { summaryOf } from '../../pictures/tool-summary.ts'

/** Tokens are not announced one by one; the end of the answer is. */
export function RunningAnswer({ run }: { readonly run: Run }) {
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
      <p class="meta now-line">
        {asks === null ? (
          <>
            <Status status={run.status} />
            <span>{open ? `${open.name}: ${summaryOf(open)}` : (note ?? 'the agent works')}</span>
            <Elapsed since={since} />
          </>
        ) : (
          <>
            <Status status="waiting" />
            <span>{asks.tool} waits for your answer</span>
            <a class="link" href="/">
              Answer in the Inbox
            </a>
          </>
        )}
      </p>
      <p class="unseen" role="status">
        {isEnded ? 'The answer is complete.' : ''}
      </p>
    </div>
  )
}
