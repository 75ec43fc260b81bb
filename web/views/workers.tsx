// Workers: which processes work on jobs, on which hosts, and how busy they are. Part of the agents view.
import { useEffect } from 'preact/hooks'
import type { Worker } from '../../src/core/job/worker.ts'
import { reprise } from '../data/client.ts'
import { useResource } from '../data/resource.ts'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'

/** A beat that says nothing new is not in the feed. */
const LOOK_EVERY_MS = 10_000

export function Workers() {
  const { value, error, refresh } = useResource('workers', () => reprise.workers(), ['workers'])
  useEffect(() => {
    const timer = setInterval(refresh, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <section class="agent" aria-label="Workers">
      <h2>
        Workers <span class="meta">{value?.length}</span>
      </h2>
      {error && <Trouble error={error} retry={refresh} />}
      {!value && !error && <Skeleton rows={1} />}
      {value?.length === 0 && (
        <Empty icon="jobs" title="Nobody works on jobs" command="reprise worker">
          A worker takes jobs that wait. A daemon is one too, unless it was started with --workers
          0.
        </Empty>
      )}
      {value && value.length > 0 && <WorkerTable workers={value} />}
    </section>
  )
}

function WorkerTable({ workers }: { readonly workers: readonly Worker[] }) {
  return (
    <table class="rows worker-rows">
      <thead>
        <tr>
          <th>Host, pid</th>
          <th class="worker-state">State</th>
          <th class="number worker-jobs">Jobs</th>
          <th class="not-on-phones">Labels</th>
          <th class="wide">Shared directories</th>
          <th class="wide">Version</th>
          <th class="number worker-beat">Last beat</th>
        </tr>
      </thead>
      <tbody>
        {workers.map(worker => (
          <tr key={worker.id}>
            <td title={`${worker.host}, pid ${worker.pid}`}>
              {worker.host} <span class="meta not-on-phones">{worker.pid}</span>
            </td>
            <td>
              <Status status={worker.state} />
            </td>
            <td class="number">
              {worker.active} of {worker.concurrency}
            </td>
            <Words of={worker.labels} class="not-on-phones" />
            <Words of={worker.sharedRoots} class="wide" />
            <td class="wide muted">{worker.version}</td>
            <td class="number muted">
              <Time at={worker.beatAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A column may be too narrow for all of them. */
function Words({ of, class: name }: { readonly of: readonly string[]; readonly class: string }) {
  const words = of.join(', ')
  return (
    <td class={name} title={words}>
      {words || '–'}
    </td>
  )
}
