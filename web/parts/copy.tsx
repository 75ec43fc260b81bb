// An id or a path that can be copied.
import { shortId } from '../format.ts'
import { Icon } from './icon.tsx'
import { toast } from './toasts.tsx'

type CopyProps = { readonly text: string; readonly shown?: string }

export function Copy({ text, shown = text }: CopyProps) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast({ kind: 'ok', text: 'Copied.' })
    } catch {
      toast({ kind: 'bad', text: 'This browser does not let the page copy.', detail: text })
    }
  }
  return (
    <button type="button" class="copy mono" title={`Copy ${text}`} onClick={copy}>
      {shown}
      <Icon name="copy" />
    </button>
  )
}

export function CopyId({ id }: { readonly id: string }) {
  return <Copy text={id} shown={shortId(id)} />
}
