// An imported thread in words: whose file brought it, what it may do before a person approves it, and the button that does so.
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { ThreadImport } from '../../src/core/conversation/thread.ts'
import { SIGNED_WORDS } from '../../src/core/import-words.ts'
import { refusalOf } from '../browser/me.ts'
import { sentence, useAct } from '../data/act.ts'
import { reprise } from '../data/client.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Time } from './time.tsx'
import { toast } from './toasts.tsx'

type ApproveProps = {
  readonly threadId: string
  readonly imported: ThreadImport
  /** The button is what one most likely wants, and its key works. */
  readonly isFocused: boolean
  readonly onDone?: () => void
}

export function ApproveThread({ threadId, imported, isFocused, onDone }: ApproveProps) {
  const { act } = useAct()
  const [isAsking, ask] = useState(false)
  const onKey = () => {
    const refusal = refusalOf('person')
    if (refusal === null) ask(true)
    else toast({ kind: 'info', text: refusal })
  }
  useShortcut('a', 'Approve the imported thread', isFocused ? onKey : null)
  const approve = async () => {
    ask(false)
    const isDone = await act(() => reprise.threads.approve(threadId), 'The thread can go on.')
    if (isDone) onDone?.()
  }
  return (
    <>
      <Button
        kind={isFocused ? 'filled' : 'plain'}
        scope="person"
        onClick={() => ask(true)}
        {...(isFocused && { keys: 'A' })}
      >
        Approve…
      </Button>
      {isAsking && (
        <Dialog title="Let agents go on with this conversation?" onClose={() => ask(false)}>
          <p>
            {sentence(`the file is ${SIGNED_WORDS[imported.signature]}`)} Agents will read the whole
            conversation, and may take what it says for instructions. They will also read session
            files that came with it, which nobody can see here.
          </p>
          <p>Approve it only if you trust the one who made the file. This cannot be taken back.</p>
          <footer>
            <Button kind="danger" scope="person" onClick={() => void approve()}>
              Approve
            </Button>
            <Button kind="quiet" onClick={() => ask(false)}>
              Leave it as data
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  )
}

/** What an unapproved thread is, for somebody who sees one for the first time. */
export function OnlyData() {
  return (
    <p class="muted">
      It came in a file of another store, so it is only data: it can be read, renamed, exported and
      removed. No agent reads it before a person approves it.
    </p>
  )
}

/** Whose file brought the thread, and when. */
export function ImportFacts({ imported }: { readonly imported: ThreadImport }) {
  const { signature, key, threadId, importedAt } = imported
  return (
    <Fragment>
      <dt>File</dt>
      <dd>{SIGNED_WORDS[signature]}</dd>
      {key !== null && (
        <Fragment>
          <dt>Key</dt>
          <dd class="mono import-key">{key}</dd>
        </Fragment>
      )}
      <dt>There it is</dt>
      <dd class="mono">{threadId}</dd>
      <dt>Came in</dt>
      <dd>
        <Time at={importedAt} as="words" />
      </dd>
    </Fragment>
  )
}
