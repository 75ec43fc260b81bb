// The saved views of a list: links above its filters, and behind the filters a way to save them.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { removeView, type SavedView, savedViews, saveView } from '../browser/saved-views.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { toast } from '../parts/toasts.tsx'

export function SavedViews() {
  const { path, query } = useLocation()
  const now = filtersOf(query)
  const views = savedViews.value.filter(view => view.path === path)
  if (views.length === 0) return null
  return (
    <nav class="tabs" aria-label="Saved views">
      <a href={path} aria-current={now === '' ? 'page' : undefined}>
        All
      </a>
      {views.map(view => (
        <ViewLink key={view.name} view={view} isOpen={view.query === now} />
      ))}
    </nav>
  )
}

/** Stands behind the filters, so that nothing moves when the first one is chosen. */
export function SaveView() {
  const { path, query } = useLocation()
  const [isNaming, nameIt] = useState(false)
  const now = filtersOf(query)
  const isKnown = savedViews.value.some(view => view.path === path && view.query === now)
  if (now === '' || isKnown) return null
  if (!isNaming) {
    return (
      <Button kind="quiet" onClick={() => nameIt(true)}>
        <Icon name="plus" />
        Save this view
      </Button>
    )
  }
  return (
    <NameForm
      onName={name => {
        nameIt(false)
        saveView({ path, name, query: now })
      }}
      onClose={() => nameIt(false)}
    />
  )
}

/** An address may also open a form, and a form is no part of a view. */
const FORMS: readonly string[] = ['start', 'submit']

function filtersOf(query: Readonly<Record<string, string>>): string {
  const filters = Object.entries(query).filter(([name]) => !FORMS.includes(name))
  return new URLSearchParams(filters).toString()
}

function ViewLink({ view, isOpen }: { readonly view: SavedView; readonly isOpen: boolean }) {
  const remove = () => {
    removeView(view)
    toast({ kind: 'ok', text: `"${view.name}" is removed.`, undo: () => saveView(view) })
  }
  return (
    <span class="saved-view">
      <a href={`${view.path}?${view.query}`} aria-current={isOpen ? 'page' : undefined}>
        {view.name}
      </a>
      <button
        type="button"
        class="copy"
        aria-label={`Remove the view ${view.name}`}
        onClick={remove}
      >
        <Icon name="no" />
      </button>
    </span>
  )
}

type NameProps = { readonly onName: (name: string) => void; readonly onClose: () => void }

function NameForm({ onName, onClose }: NameProps) {
  const [name, setName] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <form
      class="saved-view"
      onSubmit={event => {
        event.preventDefault()
        if (name.trim() !== '') onName(name.trim())
      }}
    >
      <input
        type="text"
        ref={field}
        maxLength={60}
        aria-label="Name of the view"
        placeholder="Name of the view"
        value={name}
        onInput={event => setName(event.currentTarget.value)}
        onKeyDown={event => event.key === 'Escape' && onClose()}
      />
      <Button type="submit" whyNot={name.trim() === '' ? 'Give it a name.' : null}>
        Save
      </Button>
    </form>
  )
}
