// Short words about what happened, read out politely, gone by themselves; with an undo where there is one.
import { signal } from '@preact/signals'
import { Icon, type IconName } from './icon.tsx'

export type Toast = {
  readonly kind: 'ok' | 'bad' | 'info'
  readonly text: string
  readonly detail?: string
  readonly undo?: () => void
}

type Shown = Toast & { readonly id: number }

const ICONS: Record<Toast['kind'], IconName> = { ok: 'completed', bad: 'failed', info: 'warning' }
const LASTS_MS = 6_000
const MOST = 4

const shown = signal<readonly Shown[]>([])
let lastId = 0

export function toast(said: Toast): void {
  lastId += 1
  const id = lastId
  shown.value = [...shown.value, { ...said, id }].slice(-MOST)
  // Trouble stays until somebody has read it.
  if (said.kind !== 'bad') setTimeout(() => dismiss(id), LASTS_MS)
}

function dismiss(id: number): void {
  shown.value = shown.value.filter(one => one.id !== id)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map(({ id, kind, text, detail, undo }) => (
        <div key={id} class="toast">
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
                  dismiss(id)
                }}
              >
                Undo
              </button>
            )}
            <button type="button" class="copy" aria-label="Dismiss" onClick={() => dismiss(id)}>
              <Icon name="no" />
            </button>
          </span>
        </div>
      ))}
    </div>
  )
}
