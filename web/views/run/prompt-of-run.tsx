// What the agent was given: the prompt as it was sent and the arguments, without secrets.
import { http } from '../../data/client.ts'
import { useResource } from '../../data/resource.ts'
import { bytes } from '../../format.ts'
import { Skeleton, Trouble } from '../../parts/states.tsx'

type Given = {
  readonly text: string
  readonly bytes: number
  readonly arguments: readonly string[]
}

export function PromptOfRun({ runId }: { readonly runId: string }) {
  const { value, error } = useResource(`prompt ${runId}`, () =>
    http.ask<Given>('GET', `/api/runs/${encodeURIComponent(runId)}/prompt`),
  )
  if (error) return <Trouble error={error} />
  if (!value) return <Skeleton rows={4} />
  return (
    <>
      <h2>
        Prompt <span class="meta">{bytes(value.bytes)}</span>
      </h2>
      <pre class="code wrap" tabIndex={0}>
        {value.text}
      </pre>
      <h2>Arguments</h2>
      <pre class="code wrap" tabIndex={0}>
        {value.arguments.join(' ')}
      </pre>
    </>
  )
}
