// The key of the sign-in. The daemon hands it over behind the # of the first address; only pages of this origin can read it.
import { signal } from '@preact/signals'

const STORED = 'reprise-csrf'

/** The daemon has refused the key: somebody must sign in again. */
export const isSignedOut = signal(false)

/** Takes the key out of the address, and so out of the history. */
export function takeKey(): void {
  const found = /^#csrf=([A-Za-z0-9_-]{43})$/.exec(location.hash)
  if (!found) return
  localStorage.setItem(STORED, found[1] ?? '')
  history.replaceState(null, '', location.pathname + location.search)
}

/** Another tab of this browser was signed in: the new key is good for this one too. */
export function onNewKey(act: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== STORED || !newValue) return
    isSignedOut.value = false
    act()
  })
}

export function keyOfPage(): string {
  return localStorage.getItem(STORED) ?? ''
}

export function forgetKey(): void {
  localStorage.removeItem(STORED)
  isSignedOut.value = true
}
