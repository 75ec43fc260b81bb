// What the agent was given: the prompt as it was sent and the arguments, without secrets.
import { reprise } from '../../data/client.ts'
import { useResource } from '../../data/resource.ts'
import { bytes } from '../../format.ts'
import { Skeleton, Trouble } from '../../parts/states.tsx'

export function PromptOfRun({ runId }: { readonly runId: string }) {
  const { value, error } = useResource(`prompt ${runId}`, () => reprise.runs.prompt(runId))
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
