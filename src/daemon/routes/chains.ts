// Routes of chains, policies and schedules: start, list, show, approve, continue, cancel.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { ChainRun, LocalReprise } from '../../api.ts'
import { policyOf } from '../../config/policy-schema.ts'
import { given } from '../../core/optional.ts'
import type { SandboxMode } from '../../core/run/sandbox.ts'
import { requireScope } from '../caller.ts'
import { ROUTES } from '../contract/routes/routes.ts'
import { listPage } from './page.ts'
import { requestKey } from './request-key.ts'
import { requestTrace } from './request-trace.ts'

export function chainRoutes(app: OpenAPIHono, reprise: LocalReprise): void {
  scheduleRoutes(app, reprise)

  const stored = async (chain: ChainRun) => {
    const { chainId } = await chain.submitted
    keepGoing(chain)
    return reprise.chains.get(chainId)
  }

  app.openapi(ROUTES.startChain, async c => {
    const { policy, ...wanted } = given(c.req.valid('json'))
    checkScope(c, policy, wanted)
    const asked = ['chain', policy, wanted]
    const key = requestKey(c.req.valid('header')['idempotency-key'], asked)
    const chain = reprise.chains.start({
      ...wanted,
      policy: typeof policy === 'string' ? policy : policyOf(policy),
      ...(key && { key }),
      ...requestTrace(c),
    })
    return c.json(await stored(chain), 202)
  })

  app.openapi(ROUTES.previewChain, async c => {
    const { policy, ...wanted } = given(c.req.valid('json'))
    const found = typeof policy === 'string' ? policy : policyOf(policy)
    return c.json(await reprise.chains.preview({ ...wanted, policy: found }), 200)
  })

  app.openapi(ROUTES.listChains, async c => {
    const { limit, ...query } = c.req.valid('query')
    const list = (n: number) => reprise.chains.list({ ...given(query), limit: n })
    return c.json(await listPage(limit, list), 200)
  })

  app.openapi(ROUTES.getChain, async c =>
    c.json(await reprise.chains.get(c.req.valid('param').id), 200),
  )

  app.openapi(ROUTES.previewNextTier, async c =>
    c.json(await reprise.chains.previewNext(c.req.valid('param').id), 200),
  )

  app.openapi(ROUTES.chainOfRun, async c =>
    c.json(await reprise.chains.ofRun(c.req.valid('param').id), 200),
  )

  app.openapi(ROUTES.listPolicies, async c =>
    c.json({ items: await reprise.policies(), nextCursor: null }, 200),
  )

  app.openapi(ROUTES.approveChain, async c =>
    c.json(await stored(reprise.chains.approve(c.req.valid('param').id)), 202),
  )

  app.openapi(ROUTES.continueChain, async c =>
    c.json(await stored(reprise.chains.continue(c.req.valid('param').id)), 202),
  )

  app.openapi(ROUTES.cancelChain, async c =>
    c.json(await reprise.chains.cancel(c.req.valid('param').id), 200),
  )
}

function scheduleRoutes(app: OpenAPIHono, reprise: LocalReprise): void {
  app.openapi(ROUTES.createSchedule, async c => {
    const { policy, ...wanted } = given(c.req.valid('json'))
    checkScope(c, policy, wanted)
    const found = typeof policy === 'string' ? policy : policyOf(policy)
    return c.json(await reprise.schedules.create({ ...wanted, policy: found }), 201)
  })

  app.openapi(ROUTES.listSchedules, async c =>
    c.json({ items: await reprise.schedules.list(), nextCursor: null }, 200),
  )

  app.openapi(ROUTES.removeSchedule, async c => {
    await reprise.schedules.remove(c.req.valid('param').id)
    return c.body(null, 204)
  })
}

/** A caller that brings its own policy or weakens the sandbox approves in advance: both need `approve`. */
function checkScope(
  c: Context,
  policy: unknown,
  { sandbox }: { readonly sandbox?: SandboxMode | undefined },
): void {
  if (typeof policy !== 'string') requireScope(c, 'approve', 'to bring a policy along')
  if (sandbox === 'none' || sandbox === 'auto')
    requireScope(c, 'approve', `to choose the sandbox ${sandbox}`)
}

/** The chain goes on after its request has ended; its record says how it ends. */
function keepGoing(chain: ChainRun): void {
  chain.result.catch(() => {
    // The runs record failures after the answer.
  })
}
