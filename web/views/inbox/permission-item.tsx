// A call that waits for a yes or a no: the command as a command, the change as a difference.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { GivenAnswer, Question } from '../../../src/core/conversation/question.ts'
import { DELIVERY_WORDS } from '../../../src/core/conversation/question-words.ts'
import { Call } from '../../content/call.tsx'
import { useAct } from '../../data/act.ts'
import { giveAnswer } from '../../data/verbs.ts'
import { Button } from '../../parts/button.tsx'
import { callTitle, readCall } from '../../pictures/tool-call.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { ItemFrame, type ItemProps } from './item.tsx'
import { WhereOfRun } from './where.tsx'

type Props = ItemProps & { readonly question: Question }

export function PermissionItem({ question, ...item }: Props) {
  const { tool, input, runId, delivery } = question
  const [isDenying, setDenying] = useState(false)
  const { act } = useAct()
  const answer = async (given: GivenAnswer, done: string) => {
    if (await act(() => giveAnswer(question, given), done)) item.onDone()
  }
  const allow = () => void answer({ allow: true }, 'Allowed once.')
  const deny = (message: string) =>
    void answer({ allow: false, ...(message !== '' && { message }) }, 'Denied.')
  useShortcut('a', 'Allow the call', item.isFocused ? allow : null)
  useShortcut('d', 'Deny the call', item.isFocused ? () => setDenying(true) : null)
  const shown = readCall(tool, input)
  const keys = (key: string) => (item.isFocused ? { keys: key } : {})
  return (
    <ItemFrame
      {...item}
      icon="shield"
      hue="warn"
      kind="Permission"
      since={question.askedAt}
      expiresAt={question.expiresAt}
      {...(delivery === 'live' && { note: 'process is live' })}
      title={callTitle(tool)}
      href={`/runs/${runId}`}
      where={<WhereOfRun runId={runId} />}
    >
      <p class="muted">
        {shown.kind === 'command' && shown.description !== null
          ? `The agent says: ${shown.description}`
          : DELIVERY_WORDS[delivery]}
      </p>
      <Call shown={shown} />
      {isDenying ? (
        <DenyForm onDeny={deny} onClose={() => setDenying(false)} />
      ) : (
        <div class="form-actions">
          <Button
            kind={item.isFocused ? 'filled' : 'plain'}
            scope="approve"
            onClick={allow}
            {...keys('A')}
          >
            Allow once
          </Button>
          <Button scope="approve" onClick={() => setDenying(true)} {...keys('D')}>
            Deny…
          </Button>
        </div>
      )}
    </ItemFrame>
  )
}

type DenyProps = {
  readonly onDeny: (message: string) => void
  readonly onClose: () => void
}

/** The word goes to the agent, so that it can do something else. */
function DenyForm({ onDeny, onClose }: DenyProps) {
  const [message, setMessage] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <form
      class="form-actions"
      onSubmit={event => {
        event.preventDefault()
        onDeny(message.trim())
      }}
    >
      <input
        type="text"
        ref={field}
        class="grow"
        aria-label="A word for the agent"
        placeholder="A word for the agent, such as what to do instead"
        value={message}
        onInput={event => setMessage(event.currentTarget.value)}
        onKeyDown={event => event.key === 'Escape' && onClose()}
      />
      <Button type="submit" kind="filled" scope="approve">
        Deny
      </Button>
      <Button kind="quiet" onClick={onClose}>
        Keep open
      </Button>
    </form>
  )
}
