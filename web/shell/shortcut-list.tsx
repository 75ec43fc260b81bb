// The list of keys that work now.
import { signal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { type Shortcut, shortcuts } from './shortcuts.ts'

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
        {inOrder(shortcuts.value).map(({ keys, label }) => [
          <dt key={`${keys} key`}>
            <kbd>{wordsOf(keys)}</kbd>
          </dt>,
          <dd key={keys}>{label}</dd>,
        ])}
      </dl>
    </Dialog>
  )
}

/** The keys of the view in the order in which they were named, then those of every view, then those that go to places. */
function inOrder(all: readonly Shortcut[]): readonly Shortcut[] {
  const rank = ({ keys }: Shortcut) =>
    keys.startsWith('g ') ? 2 : EVERYWHERE.includes(keys) ? 1 : 0
  return all.toReversed().toSorted((a, b) => rank(a) - rank(b))
}

const EVERYWHERE: readonly string[] = ['Ctrl k', '?']

/** A capital letter is typed with Shift. */
function wordsOf(keys: string): string {
  return /^[A-Z]$/.test(keys) ? `Shift ${keys.toLowerCase()}` : keys
}
