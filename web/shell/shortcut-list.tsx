// The list of keys that work now.
import { signal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { shortcuts } from './shortcuts.ts'

const isOpen = signal(false)

export function openShortcutList(): void {
  isOpen.value = true
}

export function ShortcutList() {
  if (!isOpen.value) return null
  const close = () => {
    isOpen.value = false
  }
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="keys-list">
        {shortcuts.value.map(({ keys, label }) => [
          <dt key={`${keys} key`}>
            <kbd>{wordsOf(keys)}</kbd>
          </dt>,
          <dd key={keys}>{label}</dd>,
        ])}
      </dl>
    </Dialog>
  )
}

/** A capital letter is typed with Shift. */
function wordsOf(keys: string): string {
  return /^[A-Z]$/.test(keys) ? `Shift ${keys.toLowerCase()}` : keys
}
