// What the fence of a tier refused: calls that did not run, and a call that ran although it may not.
import type { Run } from '../../../src/core/run/run.ts'
import { reprise } from '../../data/client.ts'
import { useResource } from '../../data/resource.ts'
import { counted } from '../../format.ts'
import { Icon } from '../../parts/icon.tsx'
import { type Refused, refusedIn } from '../../pictures/refused-calls.ts'

type RefusalsProps = {
  readonly runs: readonly Run[]
  /** What the tier may not use. */
  readonly rules: readonly string[]
}

/** A run with more events than this is read only so far. */
const MOST_EVENTS = 10_000
const MOST_RULES = 5

export function Refusals({ runs, rules }: RefusalsProps) {
  const ids = runs.map(({ id }) => id)
  const refused = useResource<readonly Refused[]>(
    `refused ${ids.join(' ')}`,
    async () => {
      const logs = await Promise.all(ids.map(id => reprise.runs.events(id, 0, MOST_EVENTS)))
      return logs.flatMap(refusedIn)
    },
    ids.map(id => `run:${id}`),
  ).value
  const violations = runs.filter(run => run.failure?.class === 'policy-violation')
  if (refused === undefined) return <h3 aria-busy="true">Fence</h3>
  return (
    <>
      <h3>
        Fence:{' '}
        {refused.length === 0 ? 'nothing refused' : `${counted(refused.length, 'call')} refused`}
      </h3>
      <ul class="refusals">
        {violations.map(({ id, failure }) => (
          <li key={id}>
            <span class="bad">
              <Icon name="shield" />
            </span>
            <span>
              <b>It left its tier.</b> {failure?.message}
            </span>
          </li>
        ))}
        {refused.map(({ id, line, words }) => (
          <li key={id}>
            <span class="warn">
              <Icon name="shield" />
            </span>
            <span>
              <span class="mono">{line}</span>
              <br />
              <span class="meta">{words}</span>
            </span>
          </li>
        ))}
      </ul>
      {refused.length === 0 && rules.length > 0 && (
        <p class="meta" title={rules.join('\n')}>
          May not use <span class="mono">{rules.slice(0, MOST_RULES).join(', ')}</span>
          {rules.length > MOST_RULES && ` and ${rules.length - MOST_RULES} more`}
        </p>
      )}
    </>
  )
}
