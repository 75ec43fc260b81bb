// Every guard in its order, with what it saw; the first one that said no is marked as the cause.
import type { Explanation } from '../../../src/core/decide/explain.ts'
import { Icon } from '../../parts/icon.tsx'

const LOOKS = {
  pass: ['yes', 'ok', 'passes'],
  block: ['no', 'bad', 'blocks'],
  unknown: ['unknown', 'warn', 'is not known'],
} as const

export function Guards({ explanation }: { readonly explanation: Explanation }) {
  const { checks } = explanation
  const of = (result: keyof typeof LOOKS) =>
    checks.filter(({ check }) => check.result === result).length
  const [passing, blocking, unknown] = [of('pass'), of('block'), of('unknown')]
  return (
    <section>
      <h2>
        {checks.length} guards
        <span class="meta">
          {passing === checks.length ? 'all pass' : `${passing} pass`}
          {blocking > 0 && `, ${blocking} ${blocking === 1 ? 'blocks' : 'block'}`}
          {unknown > 0 && `, ${unknown} not known`}
        </span>
      </h2>
      <ol class="guards">
        {checks.map(({ check, words, cause }) => {
          const [icon, hue, says] = LOOKS[check.result]
          return (
            <li key={check.guard} class={cause ? 'guard cause' : 'guard'}>
              <span class={hue}>
                <Icon name={icon} label={says} />
              </span>
              <code>{check.guard}</code>
              <span>
                {cause && <b class="bad">This decided. </b>}
                {words}
              </span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
