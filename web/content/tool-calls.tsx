// Tool calls: one line for all of them, opened one by one; failures are counted before one opens anything.
import { useState } from 'preact/hooks'
import { callSummary, changeOf, namesOf } from '../../src/core/calls/tool-summary.ts'
import { counted } from '../format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Diff } from './diff.tsx'

export type ShownCall = {
  readonly id: string
  readonly name: string
  readonly input: string
  readonly result: string | null
  readonly isError: boolean
}

/** A page that shows more of a result would be slow, and nobody reads it here. */
const MOST_RESULT_CHARS = 20_000

export function ToolCalls({ calls }: { readonly calls: readonly ShownCall[] }) {
  const [isOpen, setOpen] = useState(false)
  if (calls.length === 0) return null
  const failed = calls.filter(({ isError }) => isError).length
  return (
    <div class={isOpen ? 'calls open' : 'calls'}>
      <button
        type="button"
        class="calls-head"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} />
        {counted(calls.length, 'tool call')}
        {failed > 0 && <span class="bad">{failed} failed</span>}
        <span class="muted calls-names">{namesOf(calls)}</span>
      </button>
      {isOpen && calls.map(call => <ToolCall key={call.id} call={call} />)}
    </div>
  )
}

function ToolCall({ call }: { readonly call: ShownCall }) {
  const [isOpen, setOpen] = useState(false)
  const diff = isOpen ? changeOf(call) : null
  return (
    <div class="call">
      <button
        type="button"
        class="call-head"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={iconOf(call.name)} />
        <span class="unseen">{call.name}: </span>
        <span class="mono call-line" title={call.name}>
          {callSummary(call) || call.name}
        </span>
        {call.isError && (
          <span class="bad end">
            <Icon name="no" /> failed
          </span>
        )}
        {call.result === null && <span class="muted end">no result yet</span>}
      </button>
      {isOpen && (
        <div class="call-body">
          {diff ? <Diff {...diff} /> : <pre class="code wrap">{prettyOf(call.input)}</pre>}
          {call.result !== null && call.result !== '' && (
            <pre class="code wrap" tabIndex={0}>
              {call.result.slice(0, MOST_RESULT_CHARS)}
              {call.result.length > MOST_RESULT_CHARS && '\n…'}
            </pre>
          )}
        </div>
      )}
    </div>
  )
}

function iconOf(name: string): IconName {
  if (/bash|shell|exec/i.test(name)) return 'bash'
  if (/edit|write/i.test(name)) return 'edit'
  if (/grep|glob|search/i.test(name)) return 'search'
  return 'read'
}

function prettyOf(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
