// Keys that do things. None works while somebody types, and `?` lists those of the view that is open.
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isSignedOut } from '../browser/sign-in.ts'

export type Shortcut = {
  /** `j`, `?`, `Enter`, or `g t` for one after the other; with Ctrl or Command: `Ctrl k`. */
  readonly keys: string
  readonly label: string
}

type Active = Shortcut & { readonly run: () => void }

const active = signal<readonly Active[]>([])

export const shortcuts = active as { readonly value: readonly Shortcut[] }

/** A key of the latest view comes first. `run` of null switches it off. */
export function useShortcut(keys: string, label: string, run: (() => void) | null): void {
  const latest = useRef(run)
  latest.current = run
  const isOn = run !== null
  // At once, not after the next paint: who sees that something is focused may press its key.
  useLayoutEffect(() => {
    if (!isOn) return
    const entry: Active = { keys, label, run: () => latest.current?.() }
    active.value = [entry, ...active.value]
    return () => {
      active.value = active.value.filter(one => one !== entry)
    }
  }, [keys, label, isOn])
}

const SECOND_KEY_MS = 800

let first: { readonly key: string; readonly at: number } | null = null

export function listenForKeys(): void {
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.altKey || isSignedOut.value) return
    const isCommand = event.ctrlKey || event.metaKey
    if (!isCommand && (isTyping(event.target) || isModal())) return
    const pressed = isCommand ? `Ctrl ${event.key}` : event.key
    const pair = first !== null && event.timeStamp - first.at < SECOND_KEY_MS ? first.key : null
    const found =
      active.value.find(({ keys }) => pair !== null && keys === `${pair} ${pressed}`) ??
      active.value.find(({ keys }) => keys === pressed)
    first = { key: pressed, at: event.timeStamp }
    if (found === undefined) return
    event.preventDefault()
    first = null
    found.run()
  })
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

function isModal(): boolean {
  return document.querySelector('dialog[open]') !== null
}
