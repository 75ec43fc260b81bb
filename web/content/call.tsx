// A call of a tool, whole: a command after a prompt, a change as a difference, or its input.
import type { ShownCall } from '../pictures/tool-call.ts'
import { Diff } from './diff.tsx'

export function Call({ shown }: { readonly shown: ShownCall }) {
  switch (shown.kind) {
    case 'command':
      return <code class="command wrap">{shown.command}</code>
    case 'change':
      return <Diff path={shown.path} lines={shown.lines} />
    case 'other':
      return (
        <pre class="code wrap" tabIndex={0}>
          {shown.text}
        </pre>
      )
  }
}
