// What the next turn would do and cost, asked again a moment after the last key.
import { useEffect, useState } from 'preact/hooks'
import type { PreviewOptions } from '../../../src/api.ts'
import type { Preview } from '../../../src/core/decide/preview.ts'
import { reprise } from '../../data/client.ts'
import { listen } from '../../feed/topics.ts'

const QUIET_MS = 350

export type Previewed =
  | { readonly state: 'asking' }
  | { readonly state: 'known'; readonly preview: Preview }
  /** The daemon refuses such a turn, in its words. */
  | { readonly state: 'refused'; readonly words: string }

export function usePreview(threadId: string, options: PreviewOptions): Previewed {
  const [shown, show] = useState<Previewed>({ state: 'asking' })
  const asked = JSON.stringify(options)
  useEffect(() => {
    const ending = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const ask = async () => {
      try {
        const thread = await reprise.threads.get(threadId)
        const wanted = { ...(JSON.parse(asked) as PreviewOptions), signal: ending.signal }
        const preview = await thread.preview(wanted)
        if (!ending.signal.aborted) show({ state: 'known', preview })
      } catch (error) {
        if (ending.signal.aborted) return
        show({ state: 'refused', words: error instanceof Error ? error.message : String(error) })
      }
    }
    const soon = () => {
      clearTimeout(timer)
      timer = setTimeout(() => void ask(), QUIET_MS)
    }
    timer = setTimeout(() => void ask(), QUIET_MS)
    const stop = listen([`thread:${threadId}`], soon)
    return () => {
      clearTimeout(timer)
      stop()
      ending.abort()
    }
  }, [threadId, asked])
  return shown
}
