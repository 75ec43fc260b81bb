// The title of a view; where it can be changed, in place.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useAct } from '../data/act.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'

type TitleProps = {
  readonly title: string
  readonly onRename?: ((title: string) => Promise<unknown>) | undefined
}

export function Title({ title, onRename }: TitleProps) {
  const [isEditing, edit] = useState(false)
  if (onRename !== undefined && isEditing) {
    return <TitleForm title={title} onRename={onRename} onClose={() => edit(false)} />
  }
  return (
    <>
      <h1 title={title}>{title}</h1>
      {onRename !== undefined && (
        <Button kind="quiet" label="Rename" scope="submit" onClick={() => edit(true)}>
          <Icon name="edit" />
        </Button>
      )}
    </>
  )
}

type FormProps = {
  readonly title: string
  readonly onRename: (title: string) => Promise<unknown>
  readonly onClose: () => void
}

/** Enter keeps the title, Escape leaves it as it was. */
function TitleForm({ title, onRename, onClose }: FormProps) {
  const [text, setText] = useState(title)
  const { act } = useAct()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const save = async () => {
    const isSame = text.trim() === '' || text.trim() === title
    if (isSame || (await act(() => onRename(text.trim()), 'Renamed.'))) onClose()
  }
  return (
    <form
      class="title-form"
      onSubmit={event => {
        event.preventDefault()
        void save()
      }}
    >
      <h1 class="unseen">{title}</h1>
      <input
        type="text"
        ref={field}
        aria-label="Title"
        maxLength={1_000}
        value={text}
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={event => event.key === 'Escape' && onClose()}
      />
      <Button type="submit">Rename</Button>
      <Button kind="quiet" onClick={onClose}>
        Leave it
      </Button>
    </form>
  )
}
