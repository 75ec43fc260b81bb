// Notifications of the browser about the inbox. They are off until somebody asks for them, and say nothing of what agents wrote.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

const STORED = 'reprise-notify'

export type NotifyState = 'off' | 'on' | 'refused' | 'unsupported'

export const notifyState = signal<NotifyState>(stateNow())

/** Asks the browser, when somebody pressed the button; a second press switches them off. */
export async function toggleNotifications(): Promise<void> {
  if (notifyState.value === 'on') localStorage.removeItem(STORED)
  else if (notifyState.value !== 'unsupported') {
    if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(STORED, 'on')
  }
  notifyState.value = stateNow()
}

/** Says that more waits than before, while the page is not looked at. */
export function useNotifications(waiting: number | undefined): void {
  const before = useRef<number | undefined>(undefined)
  useEffect(() => {
    const isMore = waiting !== undefined && before.current !== undefined && waiting > before.current
    before.current = waiting ?? before.current
    if (!isMore || notifyState.value !== 'on' || document.visibilityState === 'visible') return
    const body = waiting === 1 ? 'One item waits for you.' : `${waiting} items wait for you.`
    // The same tag replaces the one before: there is never a pile of them.
    const notification = new Notification('Reprise', { body, tag: 'reprise-inbox' })
    notification.onclick = () => {
      window.focus()
      location.assign('/')
    }
  }, [waiting])
}

function stateNow(): NotifyState {
  if (!('Notification' in globalThis)) return 'unsupported'
  if (Notification.permission === 'denied') return 'refused'
  const isWanted = localStorage.getItem(STORED) === 'on'
  return isWanted && Notification.permission === 'granted' ? 'on' : 'off'
}
