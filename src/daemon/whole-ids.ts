// Completes ids in addresses: `/api/runs/ab3` is the run whose id begins so, if there is only one, as on the command line.
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { completeId, type FindsIds, isWholeId } from '../complete-id.ts'
import type { IdSubject } from '../core/id-kind.ts'

/** What the address names, by its word before the id. */
const SUBJECTS: Readonly<Record<string, IdSubject>> = {
  threads: 'thread',
  messages: 'message',
  runs: 'run',
  turns: 'run',
  chains: 'chain',
  jobs: 'job',
  sessions: 'session',
  schedules: 'schedule',
}

/** Filters of lists that take an id. */
const FILTERS: readonly IdSubject[] = ['thread', 'chain', 'job', 'session']

declare module 'hono' {
  interface ContextVariableMap {
    /** The request was answered under its whole address, and is counted there. */
    isRelayed: boolean
  }
}

type Relay = (request: Request, env: object) => Response | Promise<Response>

/**
 * Sends a request with shortened ids once more, under its whole address; everything else about it stays. It comes after the
 * guard: ids that begin alike are named only to a caller who may read. What is removed needs its whole id.
 */
export function wholeIds(relay: Relay, reprise: FindsIds): MiddlewareHandler {
  return async (c, next) => {
    const url = new URL(c.req.url)
    const canRead = c.get('caller')?.scopes.includes('read') ?? false
    if (!canRead || c.req.method === 'DELETE' || !url.pathname.startsWith('/api/')) return next()
    const route = matchedRoutes(c).find(({ path }) => !path.includes('*'))?.path ?? ''
    const whole = await withWholeIds(url, route, reprise)
    if (whole === null) return next()
    c.set('isRelayed', true)
    return relay(new Request(whole, c.req.raw), c.env)
  }
}

/** `null` when every id of the address is whole or belongs to nothing. */
async function withWholeIds(url: URL, route: string, reprise: FindsIds): Promise<URL | null> {
  const whole = new URL(url)
  const parts = url.pathname.split('/')
  for (const [at, name] of route.split('/').entries()) {
    const kind = /^:(?:id|messageId)$/.test(name) ? SUBJECTS[parts[at - 1] ?? ''] : undefined
    const text = parts[at] ?? ''
    if (kind && !isWholeId(text)) parts[at] = await completeId(reprise, { text, kinds: [kind] })
  }
  whole.pathname = parts.join('/')
  for (const kind of FILTERS) {
    const text = url.searchParams.get(kind) ?? ''
    if (text === '' || isWholeId(text)) continue
    whole.searchParams.set(kind, await completeId(reprise, { text, kinds: [kind] }))
  }
  return whole.href === url.href ? null : whole
}
