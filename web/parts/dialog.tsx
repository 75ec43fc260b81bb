// A modal dialog: the browser's own, which keeps the focus inside and closes with Escape.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

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
      </div>
    </dialog>
  )
}
