// Asks once more before something that cannot be undone.
import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

type ConfirmProps = {
  readonly title: string
  /** What the button says: the act, not "OK". */
  readonly verb: string
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Confirm({ title, verb, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <footer>
        <Button
          kind="danger"
          onClick={() => {
            onClose()
            onConfirm()
          }}
        >
          {verb}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Leave it
        </Button>
      </footer>
    </Dialog>
  )
}
