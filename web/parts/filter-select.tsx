// A filter with a few values, kept in the address.
import { useFilters } from '../data/filters.ts'

type FilterSelectProps = {
  /** The name in the address. */
  readonly name: string
  readonly label: string
  readonly values: readonly string[]
}

export function FilterSelect({ name, label, values }: FilterSelectProps) {
  const filters = useFilters()
  return (
    <label class="filter">
      <span class="meta">{label}</span>
      <select
        value={filters.get(name) ?? ''}
        onChange={event => filters.set({ [name]: event.currentTarget.value })}
      >
        <option value="">all</option>
        {values.map(value => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  )
}
