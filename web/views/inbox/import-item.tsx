// A thread that came in a file of somebody else: read it first, then let agents go on with it, or remove it.
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { ThreadImport, ThreadSummary } from '../../../src/core/conversation/thread.ts'
import { useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { ApproveThread, ImportFacts, OnlyData } from '../../parts/approve-thread.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { ItemFrame, type ItemProps } from './item.tsx'

type Props = ItemProps & { readonly thread: ThreadSummary; readonly imported: ThreadImport }

export function ImportItem({ thread, imported, ...item }: Props) {
  const { act } = useAct()
  const [isRemoving, setRemoving] = useState(false)
  const href = `/threads/${thread.id}`
  const remove = async () => {
    const gone = await act(
      async () => (await reprise.threads.get(thread.id)).remove(),
      'The thread is removed.',
    )
    if (gone) item.onDone()
  }
  return (
    <ItemFrame
      {...item}
      icon="shield"
      hue="warn"
      kind="Imported thread"
      since={imported.importedAt}
      title={thread.title ?? thread.id}
      href={href}
      where={<WhereOfImport thread={thread} />}
    >
      <OnlyData />
      <dl class="facts">
        <ImportFacts imported={imported} />
      </dl>
      <div class="form-actions">
        <ApproveThread
          threadId={thread.id}
          imported={imported}
          isFocused={item.isFocused}
          onDone={item.onDone}
        />
        <a class="button" href={href}>
          Read it
          {item.isFocused && (
            <span class="key keys" aria-hidden="true">
              O
            </span>
          )}
        </a>
        <Button kind="danger" scope="submit" onClick={() => setRemoving(true)}>
          Remove…
        </Button>
        <Button kind="quiet" onClick={item.onDismiss}>
          Dismiss
        </Button>
      </div>
      {isRemoving && (
        <Confirm
          title="Remove this thread?"
          verb="Remove thread"
          onClose={() => setRemoving(false)}
          onConfirm={() => void remove()}
        >
          Everything that came in its file is removed. The file itself stays where it is.
        </Confirm>
      )}
    </ItemFrame>
  )
}

function WhereOfImport({ thread }: Pick<Props, 'thread'>) {
  return (
    <Fragment>
      <dt>Agent</dt>
      <dd>{thread.agent}</dd>
      <dt>Work dir</dt>
      <dd class="mono">{thread.workDir}</dd>
    </Fragment>
  )
}
