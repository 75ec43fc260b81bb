// A modal dialog: the browser's own, which keeps the focus inside and closes with Escape.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <div class="dialog-body">
        <h2>{title}</h2>
        {children}
        {/* The last one, so that the focus begins at what the dialog is about. */}
        <span class="dialog-close">
          <Button kind="quiet" label="Close" onClick={() => element.current?.close()}>
            <Icon name="no" />
          </Button>
        </span>
      </div>
    </dialog>
  )
}
