// Jobs: durable work, newest first, with how it stands and what follows.
import { Fragment } from 'preact'
import type { ListedJob } from '../../src/api.ts'
import type { JobStatus } from '../../src/core/job/job.ts'
import { recurrenceWords } from '../../src/core/job/recurrence.ts'
import { stepWords } from '../../src/core/job/retry-words.ts'
import { waitingLine } from '../../src/core/job/waiting-for.ts'
import { now } from '../data/clock.ts'
import { useFilters } from '../data/filters.ts'
import { useList } from '../data/list.ts'
import { count, shortPath, withLocalTimes } from '../format.ts'
import { FilterSelect } from '../lists/filter-select.tsx'
import { ListEnd } from '../lists/list-end.tsx'
import { SavedViews, SaveView } from '../lists/saved-views.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Countdown, Time } from '../parts/time.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { View } from '../shell/view.tsx'
import { SubmitJob } from './job/submit-job.tsx'

const STATUSES: readonly JobStatus[] = [
  'queued',
  'running',
  'waiting',
  'parked',
  'completed',
  'failed',
  'cancelled',
  'dead',
]

export function Jobs() {
  const filters = useFilters()
  const status = filters.get('status')
  const { value, error, refresh, more } = useList<ListedJob>('/api/jobs', { status }, [
    'jobs',
    'workers',
  ])
  const submit = () => filters.set({ submit: 'yes' })
  useShortcut('n', 'Submit a job', submit)
  return (
    <View
      title="Jobs"
      beside={<span class="muted">{value && count(value.total ?? value.items.length)}</span>}
      actions={
        <Button kind="filled" scope="submit" keys="N" onClick={submit}>
          <Icon name="plus" />
          Submit a job
        </Button>
      }
    >
      <SavedViews />
      <search class="filter-bar" hidden={value?.items.length === 0 && status === undefined}>
        <FilterSelect name="status" label="Status" values={STATUSES} />
        <SaveView />
      </search>
      <div class="view-scroll">
        {error && <Trouble error={error} retry={refresh} />}
        {!value && !error && <Skeleton />}
        {value?.items.length === 0 && <NoJobs isFiltered={status !== undefined} />}
        {value && value.items.length > 0 && (
          <>
            <JobTable jobs={value.items} />
            <ListEnd list={value} more={more} command="reprise jobs --json" />
          </>
        )}
      </div>
      {filters.get('submit') !== undefined && <SubmitJob />}
    </View>
  )
}

function NoJobs({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    const next = ['Show all jobs', '/jobs'] as const
    return <Empty icon="search" title="No job matches these filters" next={next} />
  }
  const command = 'reprise jobs submit "Make the tests pass"'
  return (
    <Empty icon="jobs" title="No jobs yet" command={command}>
      A job is tried until it is done: after crashes, restarts and usage limits it goes on where it
      was. Submit one here, or in a terminal.
    </Empty>
  )
}

function JobTable({ jobs }: { readonly jobs: readonly ListedJob[] }) {
  return (
    <table class="rows work-rows">
      <thead>
        <tr>
          <th class="work-status">Status</th>
          <th>Task</th>
          <th class="wide" style={{ width: '136px' }}>
            Work dir
          </th>
          <th class="wide" style={{ width: '104px' }}>
            Agent
          </th>
          <th class="not-on-phones" style={{ width: '28%' }}>
            How it stands
          </th>
          <th class="number work-when">Submitted</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map(job => (
          <tr key={job.id}>
            <td>
              <Status status={job.status} />
            </td>
            <td class="work-task" title={job.prompt}>
              <a class="row-link" href={`/jobs/${job.id}`}>
                {job.prompt}
              </a>{' '}
              {job.schedule !== null && (
                <span class="chip plain">{recurrenceWords(job.schedule)}</span>
              )}
            </td>
            <td class="wide muted" title={job.workDir}>
              {shortPath(job.workDir)}
            </td>
            <td class="wide muted">{job.agent}</td>
            <td class="meta not-on-phones">
              <HowItStands job={job} />
            </td>
            <td class="number muted">
              <Time at={job.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function HowItStands({ job }: { readonly job: ListedJob }) {
  const { step, nextAttemptAt, status, waitingFor } = job
  if (waitingFor) return waitingLine(waitingFor, now.value)
  const isDone = status === 'completed' || status === 'cancelled'
  return (
    <Fragment>
      {nextAttemptAt !== null && status !== 'running' && (
        <Fragment>
          next attempt <Countdown to={nextAttemptAt} />
          {step === null ? '' : ': '}
        </Fragment>
      )}
      {step !== null && status === 'running' && 'last attempt: '}
      {step !== null && !isDone && withLocalTimes(stepWords(step), now.value)}
    </Fragment>
  )
}
