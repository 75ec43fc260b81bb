// Counts answered requests for /metrics, by route and not by path, so that the number of rows is bounded.
import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'

export type SeenRequests = {
  readonly method: string
  readonly route: string
  readonly status: string
  readonly count: number
}

export type Requests = {
  readonly middleware: MiddlewareHandler
  seen(): readonly SeenRequests[]
}

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']

export function requestsSeen(): Requests {
  const counts = new Map<string, number>()
  return {
    middleware: async (c, next) => {
      await next()
      if (c.get('isRelayed')) return
      const method = METHODS.includes(c.req.method) ? c.req.method : 'other'
      const key = [method, routePath(c, -1), c.res.status].join(' ')
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    seen: () =>
      [...counts].map(([key, count]) => {
        const [method = '', route = '', status = ''] = key.split(' ')
        return { method, route, status, count }
      }),
  }
}
