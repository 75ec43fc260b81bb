// A filter with a few values, kept in the address.
import { useFilters } from '../data/filters.ts'

type FilterSelectProps = {
  /** The name in the address. */
  readonly name: string
  readonly label: string
  /** A value, or a value with other words for it. */
  readonly values: readonly (string | readonly [string, string])[]
}

export function FilterSelect({ name, label, values }: FilterSelectProps) {
  const filters = useFilters()
  const chosen = filters.get(name)
  return (
    <select
      class={chosen === undefined ? 'filter' : 'filter chosen'}
      aria-label={label}
      value={chosen ?? ''}
      onChange={event => filters.set({ [name]: event.currentTarget.value })}
    >
      <option value="">{label}: any</option>
      {values
        .map(value => (typeof value === 'string' ? ([value, value] as const) : value))
        .map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
    </select>
  )
}
