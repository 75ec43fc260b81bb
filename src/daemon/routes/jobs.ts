// Routes of jobs: submit, show, wait, retry, cancel, remove, restore.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { LocalReprise } from '../../api.ts'
import { given } from '../../core/optional.ts'
import { ROUTES } from '../contract/routes/routes.ts'
import { listPage } from './page.ts'
import { permitted } from './permissions.ts'
import { requestKey } from './request-key.ts'
import { requestTrace } from './request-trace.ts'

export function jobRoutes(app: OpenAPIHono, { jobs }: LocalReprise): void {
  app.openapi(ROUTES.submitJob, async c => {
    const { backoff, ...body } = permitted(c, given(c.req.valid('json')))
    const wanted = { ...body, ...(backoff && { backoff: given(backoff) }) }
    const key = requestKey(c.req.valid('header')['idempotency-key'], ['job', wanted])
    return c.json(await jobs.submit({ ...wanted, ...(key && { key }), ...requestTrace(c) }), 202)
  })

  app.openapi(ROUTES.listJobs, async c => {
    const { limit, ...query } = c.req.valid('query')
    const page = await listPage(limit, n => jobs.list({ ...given(query), limit: n }))
    return c.json(page, 200)
  })

  app.openapi(ROUTES.getJob, async c => c.json(await jobs.get(c.req.valid('param').id), 200))

  app.openapi(ROUTES.waitForJob, async c => {
    const { ms } = c.req.valid('query')
    const waiting = AbortSignal.any([AbortSignal.timeout(ms), c.req.raw.signal])
    return c.json(await jobs.wait(c.req.valid('param').id, waiting), 200)
  })

  app.openapi(ROUTES.retryJob, async c => {
    const resume = c.req.valid('query').resume === 'true'
    return c.json(await jobs.retry(c.req.valid('param').id, { resume }), 202)
  })

  app.openapi(ROUTES.cancelJob, async c => c.json(await jobs.cancel(c.req.valid('param').id), 200))

  app.openapi(ROUTES.removeJob, async c => c.json(await jobs.remove(c.req.valid('param').id), 200))

  app.openapi(ROUTES.pruneCheckpoints, async c =>
    c.json({ checkpoints: [...(await jobs.prune())] }, 200),
  )

  app.openapi(ROUTES.checkpointDiff, async c => {
    const { id, number } = c.req.valid('param')
    return c.json(await jobs.diff(id, number), 200)
  })

  app.openapi(ROUTES.previewRestore, async c => {
    const { id, number } = c.req.valid('param')
    return c.json(await jobs.previewRestore(id, number), 200)
  })

  app.openapi(ROUTES.restoreJob, async c => {
    const { id, number } = c.req.valid('param')
    return c.json(await jobs.restore(id, number), 200)
  })
}
