// One job: its attempts and checkpoints on one line, what follows, and its log.
import type { JobDetails } from '../../../src/api.ts'
import { recurrenceWords } from '../../../src/core/job/recurrence.ts'
import { waitingLine } from '../../../src/core/job/waiting-for.ts'
import { sentence } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { now } from '../../data/clock.ts'
import { useResource } from '../../data/resource.ts'
import { costOfRuns, counted, duration, sumOfMoney } from '../../format.ts'
import { Copy } from '../../parts/copy.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Countdown, Time } from '../../parts/time.tsx'
import { attemptsUsed } from '../../pictures/attempts-used.ts'
import { View } from '../../shell/view.tsx'
import { JobActions } from './job-actions.tsx'
import { JobLog } from './job-log.tsx'
import { Timeline } from './timeline.tsx'

export function JobPage({ id }: { readonly id: string }) {
  const { value, error, refresh } = useResource(`job ${id}`, () => reprise.jobs.get(id), [
    `job:${id}`,
    'jobs',
    'workers',
  ])
  if (!value) {
    return (
      <View title="Job">
        {error ? (
          <Trouble error={error} retry={refresh} list={['Show all jobs', '/jobs']} />
        ) : (
          <Skeleton />
        )}
      </View>
    )
  }
  return (
    <View
      title={value.prompt.split('\n')[0] ?? value.id}
      beside={<Status status={value.status} />}
      actions={<JobActions job={value} />}
    >
      <JobFacts job={value} />
      <div class="job-split">
        <section class="job-main" aria-label="Attempts and checkpoints">
          <header class="part-bar">
            <h2>Attempts and checkpoints</h2>
            <p class="legend-inline">
              <span>
                <i class="stroke same" /> same session
              </span>
              <span>
                <i class="stroke fork" /> fork
              </span>
              <span>
                <i class="stroke new" /> new session
              </span>
            </p>
          </header>
          <Timeline job={value} />
          <Next job={value} />
        </section>
        <JobLog job={value} />
      </div>
    </View>
  )
}

function JobFacts({ job }: { readonly job: JobDetails }) {
  const { id, workDir, host, labels, concurrencyKey, policy, costUsd, createdAt, schedule } = job
  const used = attemptsUsed(job.attempts, job.attemptsFrom)
  return (
    <p class="fact-bar">
      <Copy text={id} />
      <b class="mono">{workDir}</b>
      <span>
        agent <b>{job.agent}</b>
      </span>
      {host !== null && (
        <span>
          host <b>{host}</b>
        </span>
      )}
      {labels.length > 0 && (
        <span>
          labels <b>{labels.join(', ')}</b>
        </span>
      )}
      {concurrencyKey !== null && (
        <span>
          key <b>{concurrencyKey}</b>
        </span>
      )}
      <span>
        time limit <b>{duration(policy.timeoutMs)}</b>
      </span>
      <span>
        attempts{' '}
        <b>
          {used.attempts} of {policy.maxAttempts}
        </b>{' '}
        used
      </span>
      <span title="Attempts that something outside of the job has ended">
        waits{' '}
        <b>
          {used.waits} of {policy.maxWaits}
        </b>
      </span>
      <span>
        cost <b>{costOfRuns(costUsd, job.attempts)}</b>
        {policy.budgetUsd === null ? '' : ` of ${sumOfMoney(policy.budgetUsd)}`}
      </span>
      {schedule !== null && (
        <span>
          repeated <b>{recurrenceWords(schedule)}</b>
        </span>
      )}
      <span>
        submitted <Time at={createdAt} as="words" />
      </span>
    </p>
  )
}

/** What follows, and when. */
function Next({ job }: { readonly job: JobDetails }) {
  const { words, nextAttemptAt, nextHow, status, waitingFor } = job
  const isAhead = nextAttemptAt !== null && status !== 'running'
  if (waitingFor) {
    return (
      <p class="job-next">
        <b>{sentence(waitingLine(waitingFor, now.value))}</b> {waitingFor.hint}
      </p>
    )
  }
  return (
    <p class="job-next">
      {status === 'running' && ifItFails(job)}
      {isAhead && (
        <b>
          The next attempt begins <Countdown to={nextAttemptAt} />,{' '}
          {nextHow === 'resume'
            ? 'in the same session where that can be resumed'
            : 'in a new session'}
          .{' '}
        </b>
      )}
      {words !== null && sentence(words)}
    </p>
  )
}

function ifItFails({ attempts, attemptsFrom, policy }: JobDetails): string {
  const left = policy.maxAttempts - attemptsUsed(attempts, attemptsFrom).attempts - 1
  if (left <= 0) return 'If this attempt fails, the job gives up until somebody retries it.'
  const where =
    policy.resume === 'never' ? 'in a new session' : 'in the same session where that can be resumed'
  return `If this attempt fails, ${counted(left, 'more attempt')} can follow, ${where}.`
}
