// Routes of runs: look, ask why, end.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { LocalReprise } from '../../api.ts'
import { ROUTES } from '../contract/routes.ts'
import { given, pageOf } from './page.ts'

export function runRoutes(app: OpenAPIHono, reprise: LocalReprise): void {
  app.openapi(ROUTES.listRuns, async c => {
    const { thread, session, limit, ...rest } = c.req.valid('query')
    const filter = given({ threadId: thread, sessionId: session, ...rest })
    const page = await pageOf(limit, n => reprise.runs.list({ ...filter, limit: n }))
    return c.json(page, 200)
  })

  app.openapi(ROUTES.getRun, async c =>
    c.json(await reprise.runs.get(c.req.valid('param').id), 200),
  )

  app.openapi(ROUTES.whyRun, async c =>
    c.json(await reprise.runs.why(c.req.valid('param').id), 200),
  )

  app.openapi(ROUTES.cancelRun, async c =>
    c.json(await reprise.runs.cancel(c.req.valid('param').id), 200),
  )
}
