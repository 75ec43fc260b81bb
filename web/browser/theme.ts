// Light, dark, or as the system says. It is set before the first paint and kept in this browser.
import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const STORED = 'reprise-theme'
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }

export const theme = signal<Theme>(stored())

export function showTheme(): void {
  const { dataset } = document.documentElement
  if (theme.value === 'system') delete dataset.theme
  else dataset.theme = theme.value
}

export function nextTheme(): void {
  theme.value = NEXT[theme.value]
  localStorage.setItem(STORED, theme.value)
  showTheme()
}

function stored(): Theme {
  const text = localStorage.getItem(STORED)
  return text === 'light' || text === 'dark' ? text : 'system'
}
