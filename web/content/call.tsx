// A call of a tool, whole: a command after a prompt, a change as a difference, or its input.
import type { ShownCall } from '../../src/core/calls/tool-call.ts'
import { Diff } from './diff.tsx'

export function Call({ shown }: { readonly shown: ShownCall }) {
  return (
    <>
      <WhatItDoes shown={shown} />
      {shown.rest.length > 0 && (
        <pre class="code wrap" tabIndex={0}>
          {shown.rest.join('\n')}
        </pre>
      )}
      {shown.isCut && <p class="meta warn">The call is too long to show: this is its beginning.</p>}
    </>
  )
}

function WhatItDoes({ shown }: { readonly shown: ShownCall }) {
  switch (shown.kind) {
    case 'command':
      return <code class="command wrap">{shown.command}</code>
    case 'change':
    case 'write':
      return <Diff path={shown.path} lines={shown.lines} />
    case 'other':
      return (
        <pre class="code wrap" tabIndex={0}>
          {shown.text}
        </pre>
      )
  }
}
