// The end of a list: how many are shown, the next page, and the command that prints the same.
import type { Listed } from '../data/list.ts'

type ListEndProps = {
  readonly list: Listed<unknown>
  readonly more: () => void
  readonly command: string
}

export function ListEnd({ list: { items, total, hasMore }, more, command }: ListEndProps) {
  const all = total ?? (hasMore ? `${items.length} or more` : items.length)
  return (
    <p class="list-end">
      {items.length} of {all}
      {hasMore && (
        <button type="button" class="button" onClick={more}>
          Show more
        </button>
      )}
      <code class="end">{command}</code>
    </p>
  )
}
