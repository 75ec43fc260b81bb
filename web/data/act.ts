// What a person does: one request, and a word about how it went.
import { useState } from 'preact/hooks'
import { touchAll } from '../feed/topics.ts'
import { withLocalTimes } from '../format.ts'
import { toast } from '../parts/toasts.tsx'
import { asKnown } from './resource.ts'

export type Acting = {
  readonly isBusy: boolean
  /** Runs the action once; a second call while it runs does nothing. Resolves to whether it went well. */
  readonly act: (action: () => Promise<unknown>, done?: string) => Promise<boolean>
}

/** What is shown is read again afterwards. A refusal is shown with what to do about it; nothing that was typed is lost. */
export function useAct(): Acting {
  const [isBusy, setBusy] = useState(false)
  const act = async (action: () => Promise<unknown>, done?: string): Promise<boolean> => {
    if (isBusy) return false
    setBusy(true)
    try {
      await action()
      touchAll()
      if (done !== undefined) toast({ kind: 'ok', text: done })
      return true
    } catch (error) {
      const { message, hint } = asKnown(error)
      toast({ kind: 'bad', text: sentence(message), detail: hint })
      return false
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, act }
}

/** Words of the daemon as a sentence of this page, with times as the reader's clock shows them. */
export function sentence(text: string): string {
  const local = withLocalTimes(text, Date.now())
  const begun = local.charAt(0).toUpperCase() + local.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
