// The one stream of this page: every change of the store, over reconnects and restarts of the daemon, without a gap.
import { signal } from '@preact/signals'
import { readServerEvents } from '../../src/client/event-source.ts'
import { RepriseError } from '../../src/errors.ts'
import { http } from './client.ts'
import { isSignedOut } from './sign-in.ts'
import { type Changed, topicsOf, touch, touchAll } from './topics.ts'

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Since when, and when the next try is. */
  | { readonly state: 'away'; readonly since: number; readonly nextAt: number }

export const connection = signal<Connection>({ state: 'connecting' })

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 8_000

let wake = () => {}

/** Tries at once instead of after the pause. */
export function reconnect(): void {
  wake()
}

export async function followStore(): Promise<never> {
  let last: string | null = null
  let pauseMs = FIRST_PAUSE_MS
  let since = Date.now()
  for (;;) {
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(last !== null && { 'last-event-id': last }),
      }
      const stream = await http.open('/api/events', { headers })
      // What happened between the first reads of the views and now is not in the stream.
      if (last === null) touchAll()
      connection.value = { state: 'live' }
      pauseMs = FIRST_PAUSE_MS
      for await (const { id, event, data } of readServerEvents(stream)) {
        if (id !== null) last = id
        if (event === 'resync') touchAll()
        else if (event !== 'ready') touch(topicsOf(JSON.parse(data) as Changed))
      }
    } catch (error) {
      if (error instanceof RepriseError && isRefusal(error)) isSignedOut.value = true
    }
    if (connection.value.state !== 'away') since = Date.now()
    connection.value = { state: 'away', since, nextAt: Date.now() + pauseMs }
    await pauseOrWake(pauseMs)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

function isRefusal({ code }: RepriseError): boolean {
  return code === 'unauthorized' || code === 'forbidden'
}

async function pauseOrWake(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const wakeUp = () => resolve()
  wake = wakeUp
  addEventListener('online', wakeUp)
  await promise
  clearTimeout(timer)
  removeEventListener('online', wakeUp)
}
