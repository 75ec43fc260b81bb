// How runs continued, and why those that did not resume did not: each leads to its threads.
import type { SavingsReport } from '../../src/api.ts'
import type { Decision } from '../../src/core/decide/decision.ts'
import { qualityWords } from '../../src/core/money/estimate-error.ts'
import { count } from '../format.ts'
import { DecisionChip } from '../parts/decision-chip.tsx'

const ACTIONS: readonly Decision['action'][] = [
  'resume',
  'fork',
  'replay',
  'handover',
  'start',
  'wait',
]

export function ContinuedTable({ report }: { readonly report: SavingsReport }) {
  const { reasons, formula, estimates } = report
  const all = reasons.reduce((sum, { runs }) => sum + runs, 0)
  const actions = ACTIONS.map(action => ({
    action,
    runs: reasons.filter(one => one.action === action).reduce((sum, { runs }) => sum + runs, 0),
  })).filter(({ runs }) => runs > 0)
  const others = reasons
    .filter(({ action }) => action !== 'resume' && action !== 'start')
    .toSorted((a, b) => b.runs - a.runs)
  const most = Math.max(1, ...actions.map(({ runs }) => runs))
  const mostOthers = Math.max(1, ...others.map(({ runs }) => runs))
  return (
    <div class="continued">
      <section>
        <h2>
          How runs continued <span class="meta">{count(all)} runs</span>
        </h2>
        <ul>
          {actions.map(({ action, runs }) => (
            <li key={action} class="share">
              <a href={`/threads?action=${action}`}>
                <DecisionChip action={action} />
              </a>
              <span class={`share-bar ${action}`} aria-hidden="true">
                <span style={{ width: `${(runs / most) * 100}%` }} />
              </span>
              <span class="number">{count(runs)}</span>
              <span class="number muted">{Math.round((runs / Math.max(1, all)) * 100)} %</span>
            </li>
          ))}
        </ul>
        <p class="formula meta">
          <b>Estimate:</b> {formula}.
        </p>
        <p class="formula meta">
          <b>Prices before a run started:</b> {qualityWords(estimates.costUsd)}.
        </p>
      </section>
      <section>
        <h2>
          Why not resumed{' '}
          <span class="meta">{count(others.reduce((sum, { runs }) => sum + runs, 0))} runs</span>
        </h2>
        <ul>
          {others.map(({ action, code, runs }) => (
            <li key={`${action} ${code}`} class="share">
              <a class="link" href={`/threads?action=${action}`}>
                {code}
              </a>
              <span class="share-bar start" aria-hidden="true">
                <span style={{ width: `${(runs / mostOthers) * 100}%` }} />
              </span>
              <span class="number">{count(runs)}</span>
              <span class="number muted">{action}</span>
            </li>
          ))}
          {others.length === 0 && (
            <li class="muted">Everything that could go on in its session did.</li>
          )}
        </ul>
      </section>
    </div>
  )
}
