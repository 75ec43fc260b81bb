// What a tier found: one line per service, or its summary.
import type { Verdict } from '../../src/core/chain/verdict.ts'

export function Findings({ verdict }: { readonly verdict: Verdict | null }) {
  if (verdict === null) return <p class="muted">It has not said anything yet.</p>
  if (verdict.findings.length === 0) return <p>{verdict.summary}</p>
  return (
    <ul class="dashes">
      {verdict.findings.map(({ service, status, detail }, index) => (
        <li key={index}>
          <span class="mono">{service}</span> {status}
          {detail === '' ? '' : `: ${detail}`}
        </li>
      ))}
    </ul>
  )
}
