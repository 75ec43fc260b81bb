// The runs of a thread as a table, the latest first.

import { shortOf } from '../../../src/core/decide/explain.ts'
import type { Run } from '../../../src/core/run/run.ts'
import { duration, money, shortCount, shortId } from '../../format.ts'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'

export function RunsOfThread({ runs }: { readonly runs: readonly Run[] }) {
  const latest = runs.toSorted((a, b) => b.queuedAt - a.queuedAt)
  return (
    <div class="view-scroll table-scroll" tabIndex={0}>
      <table class="rows run-rows">
        <thead>
          <tr>
            <th class="run-id">Run</th>
            <th style={{ width: '128px' }}>Status</th>
            <th>Decision</th>
            <th class="wide" style={{ width: '160px' }}>
              Model
            </th>
            <th class="number wide" style={{ width: '72px' }}>
              Tokens
            </th>
            <th class="number not-on-phones" style={{ width: '104px' }}>
              Took
            </th>
            <th class="number not-on-phones" style={{ width: '80px' }}>
              Cost
            </th>
            <th class="number" style={{ width: '96px' }}>
              Queued
            </th>
          </tr>
        </thead>
        <tbody>
          {latest.map(run => (
            <RunRow key={run.id} run={run} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function RunRow({ run }: { readonly run: Run }) {
  const { usage, decision } = run
  const tokens =
    usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens
  return (
    <tr>
      <td>
        <a class="row-link mono" href={`?tab=runs&run=${run.id}`}>
          {shortId(run.id)}
        </a>
      </td>
      <td>
        <Status status={run.status} />
      </td>
      <td>
        {decision && <DecisionChip action={decision.action} />}{' '}
        <span class="meta not-on-phones">{decision && shortOf(decision)}</span>
      </td>
      <td class="wide muted">{run.model}</td>
      <td class="number wide">{shortCount(tokens)}</td>
      <td class="number not-on-phones">
        {run.durationMs === null ? '' : duration(run.durationMs)}
      </td>
      <td class="number not-on-phones">{money(run.costUsd)}</td>
      <td class="number muted">
        <Time at={run.queuedAt} />
      </td>
    </tr>
  )
}
