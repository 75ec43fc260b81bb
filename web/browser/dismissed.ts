// What this browser need not show in the inbox any more. Nothing of it changes for others, and it can be shown again.
import { signal } from '@preact/signals'
import { touch } from '../feed/topics.ts'
import { toast } from '../parts/toasts.tsx'

const STORED = 'reprise-dismissed'
const MOST = 500

const dismissed = signal<readonly string[]>(stored())

export function isDismissed(key: string): boolean {
  return dismissed.value.includes(key)
}

export function isAnyDismissed(): boolean {
  return dismissed.value.length > 0
}

export function dismiss(key: string): void {
  keep([...dismissed.value, key].slice(-MOST))
  const undo = () => keep(dismissed.value.filter(one => one !== key))
  toast({ kind: 'ok', text: 'Dismissed in this browser.', undo })
}

export function showAllAgain(): void {
  keep([])
}

function keep(keys: readonly string[]): void {
  dismissed.value = keys
  localStorage.setItem(STORED, JSON.stringify(keys))
  touch(['chains', 'jobs'])
}

function stored(): readonly string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]')
    return Array.isArray(value) ? value.filter(one => typeof one === 'string') : []
  } catch {
    return [] // The stored text is not ours.
  }
}
