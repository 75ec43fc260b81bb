// Filters that live in the address: a view can be linked, reloaded and gone back to.
import { useLocation } from 'preact-iso'

export type Filters = {
  readonly get: (name: string) => string | undefined
  /** Replaces the address, so that typing does not fill the history; an empty text removes the filter. */
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void
}

export function useFilters(): Filters {
  const { path, query, route } = useLocation()
  return {
    get: name => query[name] || undefined,
    set: changes => {
      const next = { ...query, ...changes }
      const pairs = Object.entries(next).filter((pair): pair is [string, string] => !!pair[1])
      const text = new URLSearchParams(pairs).toString()
      route(text === '' ? path : `${path}?${text}`, true)
    },
  }
}
