// Routes of sessions: list, show, archive and back.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { LocalReprise } from '../../api.ts'
import { given } from '../../core/optional.ts'
import { ROUTES } from '../contract/routes/routes.ts'
import { listPage } from './page.ts'

export function sessionRoutes(app: OpenAPIHono, reprise: LocalReprise): void {
  app.openapi(ROUTES.listSessions, async c => {
    const { thread, limit, ...rest } = c.req.valid('query')
    const query = given({ threadId: thread, ...rest })
    const page = await listPage(limit, n => reprise.sessions.list({ ...query, limit: n }))
    return c.json(page, 200)
  })

  app.openapi(ROUTES.getSession, async c => {
    const session = await reprise.sessions.get(c.req.valid('param').id)
    return c.json(session, 200)
  })

  app.openapi(ROUTES.archiveSession, async c => {
    const session = await reprise.sessions.archive(c.req.valid('param').id)
    return c.json(session, 200)
  })

  app.openapi(ROUTES.diagnoseSession, async c => {
    const diagnosis = await reprise.sessions.diagnose(c.req.valid('param').id, c.req.valid('json'))
    return c.json(diagnosis, 200)
  })

  app.openapi(ROUTES.unarchiveSession, async c => {
    const session = await reprise.sessions.unarchive(c.req.valid('param').id)
    return c.json(session, 200)
  })
}
