// The frame of everything that waits: kind and times on the left, what is asked in the middle, where it belongs on the right.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { now } from '../../data/clock.ts'
import { duration } from '../../format.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { useShortcut } from '../../shell/shortcuts.ts'

/** What every item of the inbox gets. */
export type ItemProps = {
  /** Only one item is focused: its buttons are filled and its keys work. */
  readonly isFocused: boolean
  readonly onFocus: () => void
  /** It was answered; the list lets it go. */
  readonly onDone: () => void
  /** Hides it in this browser. */
  readonly onDismiss: () => void
  readonly isLeaving: boolean
}

type FrameProps = ItemProps & {
  readonly icon: IconName
  readonly hue: 'warn' | 'info' | 'bad'
  readonly kind: string
  readonly since: number
  /** When nobody can answer it any more. */
  readonly expiresAt?: number
  readonly note?: string
  readonly title: string
  /** The page that says more. */
  readonly href: string
  readonly where: ComponentChildren
  readonly children: ComponentChildren
}

export function ItemFrame(props: FrameProps) {
  const { isFocused, onFocus, isLeaving, icon, hue, kind, title, where, children } = props
  const element = useRef<HTMLElement>(null)
  const { route } = useLocation()
  useShortcut('o', 'Open what the item is about', isFocused ? () => route(props.href) : null)
  useEffect(() => {
    if (isFocused) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isFocused])
  // With the pointer, the item is chosen by the click, not before: the keys that its buttons get then would move them
  // from under the pointer.
  const onKeyboardFocus = ({ target }: FocusEvent) => {
    if (target instanceof Element && target.matches(':focus-visible')) onFocus()
  }
  const look = `inbox-item${isFocused ? ' focused' : ''}${isLeaving ? ' leaving' : ''}`
  return (
    <article
      ref={element}
      class={look}
      aria-label={`${kind}: ${title}`}
      onFocusCapture={onKeyboardFocus}
    >
      <div class="inbox-kind">
        <p class="inbox-name">
          <span class={hue}>
            <Icon name={icon} />
          </span>
          {kind}
        </p>
        <p class="meta">for {duration(Math.max(0, now.value - props.since))}</p>
        <p class="meta">{expiryWords(props.expiresAt, now.value)}</p>
        {props.note !== undefined && <p class="meta">{props.note}</p>}
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: J and K choose items by keyboard. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press anywhere on the item chooses it; J and K do the same. */}
      <div class="inbox-asked" onClick={onFocus}>
        <h2 class="inbox-title">{title}</h2>
        {children}
      </div>
      <dl class="facts inbox-where">{where}</dl>
    </article>
  )
}

function expiryWords(expiresAt: number | undefined, at: number): string {
  if (expiresAt === undefined) return 'does not expire'
  return expiresAt <= at ? 'expires now' : `expires in ${duration(expiresAt - at)}`
}
