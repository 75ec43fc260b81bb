// Routes that report: the caller, agents, savings, health.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { LocalReprise } from '../../api.ts'
import { given } from '../../core/optional.ts'
import type { Health } from '../contract/report.ts'
import { ROUTES } from '../contract/routes/routes.ts'

/** Programs that check health are impatient: after this time the answer is `slow`. */
const STORE_PATIENCE_MS = 500

export type ReportParts = {
  readonly reprise: LocalReprise
  readonly version: string
  readonly now: () => number
}

export function reportRoutes(app: OpenAPIHono, { reprise, version, now }: ReportParts): void {
  const startedAt = now()

  app.openapi(ROUTES.me, c => {
    const { name, scopes, isExposed = false } = c.get('caller')
    return c.json({ name, scopes, version, isExposed }, 200)
  })

  app.openapi(ROUTES.listAgents, async c =>
    c.json({ items: await reprise.agents(), nextCursor: null }, 200),
  )

  app.openapi(ROUTES.listWorkers, async c =>
    c.json({ items: await reprise.workers(), nextCursor: null }, 200),
  )

  app.openapi(ROUTES.findIds, async c => {
    const items = await reprise.findIds(c.req.valid('query'))
    return c.json({ items, nextCursor: null }, 200)
  })

  app.openapi(ROUTES.savings, async c => {
    const { by, ...query } = c.req.valid('query')
    return c.json(await reprise.savings(by, given(query)), 200)
  })

  app.openapi(ROUTES.health, async c => {
    const asked = await storeState(reprise)
    const awaySince = reprise.databaseAwaySince()
    const store = asked !== 'ok' && awaySince !== null ? 'away' : asked
    const status = store === 'ok' ? 'ok' : 'degraded'
    const health: Health = { status, version, uptimeMs: now() - startedAt, store, awaySince }
    return store === 'ok' ? c.json(health, 200) : c.json(health, 503)
  })
}

async function storeState(reprise: LocalReprise): Promise<Health['store']> {
  const asked = reprise.log.lastPosition().then(
    () => 'ok' as const,
    () => 'failing' as const,
  )
  const late = Promise.withResolvers<'slow'>()
  const timer = setTimeout(late.resolve, STORE_PATIENCE_MS, 'slow')
  try {
    return await Promise.race([asked, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
