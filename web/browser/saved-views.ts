// Sets of filters with a name, for each list, kept in this browser.
import { signal } from '@preact/signals'

export type SavedView = {
  /** The address of the list: `/threads`. */
  readonly path: string
  readonly name: string
  /** The filters as they stand in the address, without the question mark. */
  readonly query: string
}

const STORED = 'reprise-views'
const MOST = 100

export const savedViews = signal<readonly SavedView[]>(stored())

/** A view with the same name on the same list is replaced. */
export function saveView(view: SavedView): void {
  keep([...without(view), view].slice(-MOST))
}

export function removeView(view: Pick<SavedView, 'path' | 'name'>): void {
  keep(without(view))
}

function without({ path, name }: Pick<SavedView, 'path' | 'name'>): readonly SavedView[] {
  return savedViews.value.filter(one => one.path !== path || one.name !== name)
}

function keep(views: readonly SavedView[]): void {
  savedViews.value = views
  localStorage.setItem(STORED, JSON.stringify(views))
}

function stored(): readonly SavedView[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]')
    return Array.isArray(value) ? value.filter(isView) : []
  } catch {
    return [] // The stored text is not ours.
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false
  const { path, name, query } = value as Record<string, unknown>
  return typeof path === 'string' && typeof name === 'string' && typeof query === 'string'
}
