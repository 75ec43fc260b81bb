// A button that says why it cannot be pressed, and shows its key.
import type { ComponentChildren } from 'preact'
import { type Right, refusalOf } from '../browser/me.ts'
import { toast } from './toasts.tsx'

export type ButtonProps = {
  readonly children: ComponentChildren
  readonly onClick?: (() => void) | undefined
  /** One filled button per view: what one most likely wants. */
  readonly kind?: 'filled' | 'plain' | 'danger' | 'quiet'
  /** The key that does the same; useShortcut listens for it. */
  readonly keys?: string
  /** What the page's sign-in must be allowed to do. */
  readonly scope?: Right
  /** Why it cannot be pressed now. */
  readonly whyNot?: string | null | undefined
  readonly type?: 'button' | 'submit'
  /** A name, when the content is only an icon. */
  readonly label?: string
  readonly expanded?: boolean
}

/** A button that is refused stays reachable by keyboard, so that everybody can learn the reason. */
export function Button(props: ButtonProps) {
  const { children, onClick, kind = 'plain', keys, scope, type = 'button', label } = props
  // Nobody should first fill in a form, and then learn that this sign-in may not send it.
  const whyNot = (scope === undefined ? null : refusalOf(scope)) ?? props.whyNot ?? null
  const press = (event: Event) => {
    if (whyNot !== null) {
      event.preventDefault()
      toast({ kind: 'info', text: whyNot })
      return
    }
    onClick?.()
  }
  return (
    <button
      type={type}
      class={`button ${kind}${label === undefined ? '' : ' square'}`}
      onClick={press}
      {...(whyNot !== null && { 'aria-disabled': true })}
      {...(whyNot !== null || label !== undefined ? { title: whyNot ?? label } : {})}
      {...(label !== undefined && { 'aria-label': label })}
      {...(props.expanded !== undefined && { 'aria-expanded': props.expanded })}
    >
      {children}
      {keys !== undefined && whyNot === null && (
        <span class="key keys" aria-hidden="true">
          {keys}
        </span>
      )}
    </button>
  )
}
