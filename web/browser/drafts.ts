// What somebody has typed and not sent, by thread: it is there again when one comes back. It is gone with the page.
import { useState } from 'preact/hooks'

const drafts = new Map<string, string>()

export function useDraft(threadId: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(drafts.get(threadId) ?? '')
  const keep = (typed: string) => {
    if (typed === '') drafts.delete(threadId)
    else drafts.set(threadId, typed)
    setText(typed)
  }
  return [text, keep]
}
