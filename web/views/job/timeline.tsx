// Attempts and checkpoints from top to bottom, on the line of the session.
import type { JobDetails } from '../../../src/api.ts'
import { wordsOf } from '../../../src/core/decide/explain.ts'
import { carriedOverWords } from '../../../src/core/job/carried-over.ts'
import { countsAsWait } from '../../../src/core/job/retry.ts'
import { HAPPENED } from '../../../src/core/job/retry-words.ts'
import type { Run } from '../../../src/core/run/run.ts'
import { sentence } from '../../data/act.ts'
import { useWork } from '../../data/work.ts'
import { clockTime, counted, estimate, money } from '../../format.ts'
import { CopyId } from '../../parts/copy.tsx'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Elapsed } from '../../parts/time.tsx'
import { jointOf } from '../../pictures/chain-picture.ts'
import { jobTimeline } from '../../pictures/job-timeline.ts'
import { CheckpointEntry } from './checkpoint-entry.tsx'

export function Timeline({ job }: { readonly job: JobDetails }) {
  const entries = jobTimeline(job.attempts, job.checkpoints)
  if (entries.length === 0) {
    return (
      <Empty icon="queued" title="No attempt has begun yet">
        It begins when a worker is free.
      </Empty>
    )
  }
  return (
    <ol class="timeline">
      {entries.map(entry =>
        entry.kind === 'attempt' ? (
          <li key={entry.run.id} class="attempt">
            <span class={`line-cell above-${entry.above} below-${entry.below}`}>
              <span class={`tier-number ${jointOf(entry.run.decision?.action)}`}>
                {entry.number}
              </span>
            </span>
            <Attempt
              run={entry.run}
              number={entry.number}
              before={job.attempts[entry.number - 2] ?? null}
              timeoutMs={job.policy.timeoutMs}
            />
          </li>
        ) : (
          <CheckpointEntry
            key={entry.checkpoint.ref}
            jobId={job.id}
            isRunning={job.status === 'running'}
            checkpoint={entry.checkpoint}
            attempt={entry.attempt}
            line={`line-cell above-${entry.above} below-${entry.below}`}
          />
        ),
      )}
    </ol>
  )
}

type AttemptProps = {
  readonly run: Run
  readonly number: number
  /** The attempt that this one follows. */
  readonly before: Run | null
  readonly timeoutMs: number
}

function Attempt({ run, number, before, timeoutMs }: AttemptProps) {
  const { id, decision, status, failure, savings, startedAt, endedAt, costUsd, model } = run
  const carried = before && carriedOverWords(before, run)
  return (
    <div class="attempt-body">
      <p class="attempt-head">
        {decision && <DecisionChip action={decision.action} />}
        <b>Attempt {number}</b>
        <Status status={status} {...(failure && { more: `(${failure.class})` })} />
        <span class="end meta">
          {startedAt !== null && clockTime(startedAt)}
          {endedAt !== null && ` to ${clockTime(endedAt)}`}
          {endedAt === null && startedAt !== null && (
            <span>
              {', '}
              <Elapsed since={startedAt} />
            </span>
          )}
          {costUsd !== null && ` · ${money(costUsd)}`}
        </span>
      </p>
      <p>
        {failure && `${sentence(HAPPENED[failure.class])} `}
        {decision && decision.action !== 'start' && wordsOf(decision)}
        {savings !== null &&
          savings.savedUsd > 0 &&
          ` Saved ${estimate(savings.savedUsd, 'about ')} against a cold start.`}{' '}
        {decision && (
          <a class="link" href={`/runs/${id}`}>
            All guards
          </a>
        )}
      </p>
      {carried && (
        <p>
          <span class="muted">Carried over:</span> {carried}.
        </p>
      )}
      <p class="meta attempt-meta">
        {model !== null && <span>{model}</span>}
        <Worker runId={id} />
        {endedAt === null && startedAt !== null && (
          <span>ends at {clockTime(startedAt + timeoutMs)} at the latest</span>
        )}
        {failure !== null && countsAsWait(failure.class) && (
          <span title="It is none of the attempts that the job has: something outside of it ended it.">
            counts as a wait
          </span>
        )}
        {failure !== null && failure.toolsRan > 0 && (
          <span>{counted(failure.toolsRan, 'tool call')} ran</span>
        )}
        <CopyId id={id} />
      </p>
    </div>
  )
}

/** Which process works on it; while it goes, with the lease that keeps everybody else away. */
function Worker({ runId }: { readonly runId: string }) {
  const work = useWork(runId).value
  if (!work) return null
  const { worker, lease } = work
  return (
    <>
      <span title={`Process ${worker.pid} on ${worker.host}`}>
        worker {worker.host}, {worker.pid}
      </span>
      {lease !== null && (
        <span title="The lease of its thread. A worker that loses it can store nothing more.">
          lease {lease.token}
        </span>
      )}
    </>
  )
}
