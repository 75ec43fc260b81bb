// Why a run continued as it did: the sentence, then every guard with what it saw, and what would change it.

import { reprise } from '../../data/client.ts'
import { useFilters } from '../../data/filters.ts'
import { useResource } from '../../data/resource.ts'
import { Button } from '../../parts/button.tsx'
import { CopyId } from '../../parts/copy.tsx'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { RunParts } from './run-parts.tsx'

type PaneProps = { readonly runId: string; readonly onClose: () => void }

export function RunPane({ runId, onClose }: PaneProps) {
  const { value: run, error } = useResource(`run ${runId}`, () => reprise.runs.get(runId), [
    `run:${runId}`,
  ])
  const filters = useFilters()
  return (
    <aside class="pane" aria-label="The run">
      <header class="pane-head">
        {run?.decision && <DecisionChip action={run.decision.action} />}
        {run && <Status status={run.status} />}
        <span class="end">
          <CopyId id={runId} />
        </span>
        <Button kind="quiet" label="Close" onClick={onClose}>
          <Icon name="no" />
        </Button>
      </header>
      {error && <Trouble error={error} />}
      {!run && !error && <Skeleton rows={6} />}
      {run && (
        <RunParts
          run={run}
          part={filters.get('part') ?? 'guards'}
          hrefOf={part => hereWith({ part, run: runId })}
        />
      )}
      {run && (
        <footer class="pane-foot">
          <a class="button" href={`/runs/${runId}`}>
            Open run
          </a>
        </footer>
      )}
    </aside>
  )
}

function hereWith(changes: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) query.set(name, value)
  return `?${query}`
}
