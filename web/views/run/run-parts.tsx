// The parts of a run: guards, what the agent was given, events, the record itself; and below them what it used.

import type { Run } from '../../../src/core/run/run.ts'
import { processWords } from '../../../src/core/warm/process-words.ts'
import { sentence } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { useResource } from '../../data/resource.ts'
import { Copy } from '../../parts/copy.tsx'
import { Trouble } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Changes } from './changes.tsx'
import { EventsOfRun } from './events-of-run.tsx'
import { Guards } from './guards.tsx'
import { PromptOfRun } from './prompt-of-run.tsx'
import { UsageTable } from './usage-table.tsx'

type PartsProps = {
  readonly run: Run
  readonly part: string
  readonly hrefOf: (part: string) => string
}

export function RunParts({ run, part, hrefOf }: PartsProps) {
  const why = useResource(run.decision === null ? null : `why ${run.id} ${run.status}`, () =>
    reprise.runs.why(run.id),
  )
  const tabs = [
    ['guards', 'Guards'],
    ['prompt', 'Prompt'],
    ['events', 'Events'],
    ['raw', 'Raw'],
  ] as const
  return (
    <>
      <div class="pane-words">
        <p>{why.value?.words ?? (run.decision === null ? 'Nothing was decided yet.' : '…')}</p>
        {run.process === 'warm' && <p class="meta">Process: {processWords(run)}.</p>}
        {run.failure && (
          <p class="bad">
            {sentence(run.failure.message)} {run.failure.hint}
          </p>
        )}
      </div>
      <Tabs
        label="Parts of the run"
        tabs={tabs.map(([key, name]) => ({ href: hrefOf(key), name, isOpen: part === key }))}
      />
      <div class="pane-body">
        {why.error && part === 'guards' && <Trouble error={why.error} />}
        {part === 'guards' && (
          <>
            {why.value && <Guards explanation={why.value} />}
            <div class="run-side">
              {why.value && <Changes explanation={why.value} />}
              <UsageTable run={run} />
            </div>
          </>
        )}
        {part === 'prompt' && <PromptOfRun runId={run.id} />}
        {part === 'events' && <EventsOfRun run={run} />}
        {part === 'raw' && <Raw run={run} />}
      </div>
    </>
  )
}

function Raw({ run }: { readonly run: Run }) {
  const text = JSON.stringify(run, null, 2)
  const testCase = JSON.stringify(
    { facts: run.facts, settings: run.resumeSettings, decision: run.decision },
    null,
    2,
  )
  return (
    <>
      <p class="form-actions">
        <Copy text={text} shown="Copy the record" />
        {run.facts && <Copy text={testCase} shown="Copy as test case" />}
      </p>
      <pre class="code wrap" tabIndex={0}>
        {text}
      </pre>
    </>
  )
}
