// Edits a prompt in place. Before anything is sent it shows what will be decided, what that costs, and what happens to the files.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Message } from '../../../src/core/conversation/messages.ts'
import { useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { retryTurn } from '../../data/verbs.ts'
import { Button } from '../../parts/button.tsx'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { BasisLine, WaysTable } from './price-line.tsx'
import { type Previewed, usePreview } from './use-preview.ts'

type EditProps = {
  readonly threadId: string
  readonly message: Message
  readonly onClose: () => void
}

export function EditBox({ threadId, message, onClose }: EditProps) {
  const [text, setText] = useState(message.text)
  const { act, isBusy } = useAct()
  const field = useRef<HTMLTextAreaElement>(null)
  const previewed = usePreview(threadId, { retry: message.id, prompt: text })
  useEffect(() => field.current?.focus(), [])
  // The price comes a moment later and makes the box higher: what sends the edit stays in sight.
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [previewed.state])
  const send = async () => {
    const isSent = await act(
      () => retryTurn({ threadId, messageId: message.id }, { text }),
      'Sent.',
    )
    if (isSent) onClose()
  }
  const save = async () => {
    const edit = async () => (await reprise.threads.get(threadId)).edit(message.id, text)
    if (await act(edit, 'Saved. The next turn brings it to the agent.')) onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      void send()
    }
  }
  const isEmpty = text.trim() === ''
  return (
    <div class="edit-box" ref={box}>
      <textarea
        ref={field}
        aria-label="Edit the prompt"
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <PreviewTable previewed={previewed} />
      <div class="form-actions">
        <Button
          kind="filled"
          scope="submit"
          keys="Ctrl ↵"
          onClick={() => void send()}
          whyNot={isEmpty ? 'The prompt is empty.' : isBusy ? 'It is being sent.' : null}
        >
          Send edit
        </Button>
        <Button
          scope="submit"
          onClick={() => void save()}
          whyNot={isEmpty ? 'The prompt is empty.' : null}
        >
          Save only
        </Button>
        <Button kind="quiet" keys="Esc" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  )
}

function PreviewTable({ previewed }: { readonly previewed: Previewed }) {
  if (previewed.state === 'asking')
    return <p class="edit-preview muted">Asking what this would do …</p>
  if (previewed.state === 'refused') return <p class="edit-preview warn">{previewed.words}</p>
  const { decision, words, estimate, ways, notes } = previewed.preview
  return (
    <div class="edit-preview">
      <p class="edit-words">
        <DecisionChip action={decision.action} /> {words}
      </p>
      <WaysTable ways={ways} />
      {estimate && <BasisLine estimate={estimate} />}
      {notes.map(note => (
        <p key={note} class="edit-note">
          <Icon name="files" />
          {note}
        </p>
      ))}
    </div>
  )
}
