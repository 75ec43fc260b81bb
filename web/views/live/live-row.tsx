// A run that is not over: what it is for, how it went on, what it did last, and a way to stop it.
import type { Run } from '../../../src/core/run/run.ts'
import type { RunWork } from '../../../src/core/run/run-work.ts'
import { useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { now } from '../../data/clock.ts'
import { useResource } from '../../data/resource.ts'
import { useWork } from '../../data/work.ts'
import { useRunLog } from '../../feed/use-run-log.ts'
import { count, duration, money, shortId } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { Status } from '../../parts/status.tsx'
import { Elapsed } from '../../parts/time.tsx'
import type { LiveRun } from '../../pictures/live-rows.ts'
import { tokenSteps, tokensPerMinute } from '../../pictures/token-rate.ts'
import { useRunTitle } from '../inbox/where.tsx'

export function LiveRow({ run, isOver }: LiveRun) {
  const { id, decision, startedAt, queuedAt, workDir } = run
  const ended = useResource(isOver ? `run ${id}` : null, () => reprise.runs.get(id)).value
  const status = isOver ? (ended?.status ?? 'completed') : run.status
  const title = useRunTitle(run)
  const { lines, lastAt, reported } = useRunLog(id)
  const work = useWork(id).value
  const last = lines.at(-1)
  const { act } = useAct()
  const stop = () => void act(() => reprise.runs.cancel(id), 'Stopped.')
  const name = title === undefined ? '…' : (title ?? shortId(id))
  return (
    <tr>
      <td>
        <Status status={status} iconOnly />
      </td>
      <td>
        <a class="row-link name" href={`/runs/${id}`}>
          {name}
        </a>
        <br />
        <span class="meta" title={workDir}>
          {kindOf(run)} ·{' '}
          <span class="live-since">
            <Elapsed since={startedAt ?? queuedAt} />
          </span>
          <span class="live-dir">{workDir}</span>
        </span>
      </td>
      <td class="live-decision">{decision && <DecisionChip action={decision.action} />}</td>
      <td class="live-last">
        {status === 'waiting' && (
          <span class="live-wait warn">
            <Icon name="shield" />
            <span>
              waits<span class="wide"> for you</span>
              {lastAt !== null && `, for ${duration(Math.max(0, now.value - lastAt))}`}
            </span>
          </span>
        )}
        {last && (
          <span class="live-line mono" title={last.text}>
            {last.text}
          </span>
        )}
        {lastAt !== null && status !== 'waiting' && (
          <span class="meta">last event {duration(Math.max(0, now.value - lastAt))} ago</span>
        )}
      </td>
      <td class="number live-elapsed">
        {isOver ? 'over' : <Elapsed since={startedAt ?? queuedAt} />}
      </td>
      <td class="number live-tokens" title="Of the requests that were reported in the last minute">
        {status === 'queued' ? '–' : count(tokensPerMinute(reported, now.value))}
      </td>
      <td class="live-spark">
        <Sparkline
          values={tokenSteps(reported, now.value)}
          name="Tokens in the last ten minutes, in steps of thirty seconds"
        />
      </td>
      <td class="number live-cost" title={work && COST_IS[work.costIs]}>
        {work && (status === 'queued' ? '–' : money(work.costUsd))}
      </td>
      <td class="live-acts">
        {status === 'waiting' && (
          <a class="button above-row" href={`/?run=${id}`}>
            Answer
          </a>
        )}
        {!isOver && (
          <span class="above-row">
            <Button kind="quiet" scope="submit" onClick={stop}>
              <Icon name={status === 'queued' ? 'no' : 'stop'} />
              {status === 'queued' ? 'Cancel' : 'Stop'}
              <span class="unseen"> {name}</span>
            </Button>
          </span>
        )}
      </td>
    </tr>
  )
}

const COST_IS: Readonly<Record<RunWork['costIs'], string>> = {
  'so-far': 'The list prices of the requests that were reported so far',
  booked: 'What its process had cost when it ended',
}

function kindOf({ jobId, chainId, tier, attempt }: Run): string {
  if (jobId !== null) return `job, attempt ${attempt}`
  return chainId === null ? 'turn' : `chain, tier ${tier}`
}
