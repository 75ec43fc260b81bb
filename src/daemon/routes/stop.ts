// The route that stops the daemon, for an operator or a program that looks after it.
import type { OpenAPIHono } from '@hono/zod-openapi'
import { RepriseError } from '../../errors.ts'
import { ROUTES } from '../contract/routes/routes.ts'

/** Gets the time that running turns may still have, if the caller named one. Returns the time that they really get. */
export type StopRequest = (drainMs: number | undefined) => number

export function stopRoutes(app: OpenAPIHono, stop: StopRequest | undefined): void {
  app.openapi(ROUTES.stop, c => {
    if (!stop) {
      const what = 'this daemon is part of another program, which stops it'
      throw new RepriseError('conflict', what, 'Stop that program.')
    }
    const { drainMs } = c.req.valid('json')
    return c.json({ pid: process.pid, drainMs: stop(drainMs) }, 202)
  })
}
