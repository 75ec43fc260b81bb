// Short words about what happened, read out politely, gone by themselves; with an undo where there is one.
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

export type Toast = {
  readonly kind: 'ok' | 'bad' | 'info'
  readonly text: string
  readonly detail?: string
  readonly undo?: (() => void) | undefined
}

type Shown = Toast & { readonly id: number }

const ICONS: Record<Toast['kind'], IconName> = { ok: 'completed', bad: 'failed', info: 'warning' }
const LASTS_MS = 6_000
const MOST = 4

const shown = signal<readonly Shown[]>([])
let lastId = 0

export function toast(said: Toast): void {
  lastId += 1
  shown.value = [...shown.value, { ...said, id: lastId }].slice(-MOST)
}

function dismiss(id: number): void {
  shown.value = shown.value.filter(one => one.id !== id)
}

/** While the pointer or the focus is on them, none goes away. */
export function Toasts() {
  const [isHeld, hold] = useState(false)
  return (
    <div
      class="toasts"
      role="status"
      aria-live="polite"
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocusCapture={() => hold(true)}
      onBlurCapture={() => hold(false)}
    >
      {shown.value.map(said => (
        <ToastShown
          key={said.id}
          said={said}
          isHeld={isHeld}
          onClose={() => {
            hold(false)
            dismiss(said.id)
          }}
        />
      ))}
    </div>
  )
}

type ToastProps = { readonly said: Shown; readonly isHeld: boolean; readonly onClose: () => void }

function ToastShown({ said, isHeld, onClose }: ToastProps) {
  const { id, kind, text, detail, undo } = said
  // Trouble stays until somebody has read it.
  const isPassing = kind !== 'bad' && !isHeld
  useEffect(() => {
    if (!isPassing) return
    const timer = setTimeout(() => dismiss(id), LASTS_MS)
    return () => clearTimeout(timer)
  }, [id, isPassing])
  return (
    <div class="toast">
      <span class={kind}>
        <Icon name={ICONS[kind]} />
      </span>
      <div>
        <span class="strong">{text}</span>
        {detail !== undefined && <p class="muted">{detail}</p>}
      </div>
      <span class="end">
        {undo !== undefined && (
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              undo()
              onClose()
            }}
          >
            Undo
          </button>
        )}
        <button type="button" class="copy" aria-label="Dismiss" onClick={onClose}>
          <Icon name="no" />
        </button>
      </span>
    </div>
  )
}
