// A run on a page of its own. A run of a chain shows the whole ordered chain above it.
import { useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { useFilters } from '../../data/filters.ts'
import { useResource } from '../../data/resource.ts'
import { duration, sumOfMoney } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { ChainStrip } from '../../parts/chain-strip.tsx'
import { CopyId } from '../../parts/copy.tsx'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { FactLink } from '../../parts/fact-link.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { View } from '../../shell/view.tsx'
import { useThreadTitle } from '../inbox/where.tsx'
import { RunParts } from './run-parts.tsx'

export function RunPage({ id }: { readonly id: string }) {
  const filters = useFilters()
  const { act } = useAct()
  const {
    value: run,
    error,
    refresh,
  } = useResource(`run ${id}`, () => reprise.runs.get(id), [`run:${id}`])
  const chain = useResource(
    run?.chainId ? `chain ${run.chainId}` : null,
    () => reprise.chains.ofRun(id),
    [`run:${id}`, 'chains'],
  ).value
  if (!run) {
    return (
      <View title="Run">
        {error ? (
          <Trouble error={error} retry={refresh} list={['Show all threads', '/threads']} />
        ) : (
          <Skeleton />
        )}
      </View>
    )
  }
  const isGoing = run.status === 'running' || run.status === 'queued'
  return (
    <View
      title="Run"
      beside={
        <>
          {run.decision && <DecisionChip action={run.decision.action} />}
          <Status status={run.status} />
        </>
      }
      actions={
        isGoing && (
          <Button
            scope="submit"
            onClick={() => void act(() => reprise.runs.cancel(id), 'Stopped.')}
          >
            <Icon name="stop" />
            Stop
          </Button>
        )
      }
    >
      <p class="fact-bar">
        <CopyId id={run.id} />
        <span>{run.agent}</span>
        {run.model && <span>{run.model}</span>}
        <b class="mono">{run.workDir}</b>
        <span>
          cost <b>{sumOfMoney(run.costUsd)}</b>
        </span>
        {run.durationMs !== null && (
          <span>
            took <b>{duration(run.durationMs)}</b>
          </span>
        )}
        <span>
          queued <Time at={run.queuedAt} as="words" />
        </span>
        {run.threadId && <ThreadLink threadId={run.threadId} />}
        {run.jobId && <FactLink name="job" path="/jobs/" id={run.jobId} />}
        {run.parentRunId && <FactLink name="continues" path="/runs/" id={run.parentRunId} />}
        {run.continuedBy && <FactLink name="continued in" path="/runs/" id={run.continuedBy} />}
      </p>
      {chain && <ChainStrip chain={chain} runId={run.id} />}
      <div class="view-scroll run-page">
        <RunParts
          run={run}
          part={filters.get('part') ?? 'guards'}
          hrefOf={part => `/runs/${id}?part=${part}`}
        />
      </div>
    </View>
  )
}

function ThreadLink({ threadId }: { readonly threadId: string }) {
  const title = useThreadTitle(threadId)
  return <FactLink name="thread" path="/threads/" id={threadId} words={title} />
}
