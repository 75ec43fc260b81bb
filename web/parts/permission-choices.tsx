// The four answers to a permission: once, for this run, no, and no with a reason. Each shows what it allows before it is pressed.
import { useEffect, useRef, useState } from 'preact/hooks'
import { CHOICE_WORDS } from '../../src/core/conversation/permission-choices.ts'
import type { GivenAnswer, Question } from '../../src/core/conversation/question.ts'
import { refusalOf } from '../browser/me.ts'
import { useAct } from '../data/act.ts'
import { giveAnswer } from '../data/verbs.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { Button } from './button.tsx'
import { toast } from './toasts.tsx'

type Props = {
  readonly question: Question
  /** Its keys work, and its first button is filled. */
  readonly isFocused: boolean
  readonly onDone?: () => void
}

export function PermissionChoices({ question, isFocused, onDone }: Props) {
  const { rule } = question
  const [isDenying, setDenying] = useState(false)
  const { act } = useAct()
  const answer = async (given: GivenAnswer, done: string) => {
    if (await act(() => giveAnswer(question, given), done)) onDone?.()
  }
  const once = () => void answer({ allow: true }, 'Allowed once.')
  const forRun = () => void answer({ allow: true, for: 'run' }, `For this run: ${rule?.words}.`)
  const deny = (message: string) =>
    void answer({ allow: false, ...(message !== '' && { message }) }, 'Denied.')
  const askWhy = () => setDenying(true)
  const key = (run: () => void) => (isFocused && !isDenying ? allowed(run) : null)
  useShortcut('a', CHOICE_WORDS.once, key(once))
  useShortcut('A', CHOICE_WORDS.run, rule ? key(forRun) : null)
  useShortcut(
    'd',
    CHOICE_WORDS.deny,
    key(() => deny('')),
  )
  useShortcut('D', CHOICE_WORDS.why, key(askWhy))
  const keys = (name: string) => (isFocused ? { keys: name } : {})
  if (isDenying) return <DenyForm onDeny={deny} onClose={() => setDenying(false)} />
  return (
    <>
      {rule && (
        <p class="meta rule-words">
          {CHOICE_WORDS.run}: {rule.words}
        </p>
      )}
      <div class="form-actions">
        <Button kind={isFocused ? 'filled' : 'plain'} scope="approve" onClick={once} {...keys('A')}>
          {CHOICE_WORDS.once}
        </Button>
        {rule && (
          <Button scope="approve" onClick={forRun} {...keys('Shift A')}>
            {CHOICE_WORDS.run}
          </Button>
        )}
        <Button scope="approve" onClick={() => deny('')} {...keys('D')}>
          {CHOICE_WORDS.deny}
        </Button>
        <Button kind="quiet" scope="approve" onClick={askWhy} {...keys('Shift D')}>
          {CHOICE_WORDS.why}…
        </Button>
      </div>
    </>
  )
}

/** A key that the sign-in may not use says why, as the button does. */
function allowed(run: () => void): () => void {
  const refusal = refusalOf('approve')
  return refusal === null ? run : () => toast({ kind: 'info', text: refusal })
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
