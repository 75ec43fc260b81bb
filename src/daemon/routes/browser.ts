// Routes for a browser: get a code, trade it for a cookie, show the dashboard, sign out.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { RepriseError } from '../../errors.ts'
import { cookieHeader, cookieOf } from '../browser/cookie.ts'
import { dashboard } from '../browser/dashboard.ts'
import type { Logins } from '../browser/logins.ts'
import { PAGE_PATHS } from '../contract/routes/browser-routes.ts'
import { loginPath, ROUTES } from '../contract/routes/routes.ts'

export type BrowserParts = {
  readonly logins: Logins
  readonly port: () => number
  /** Where the files of the dashboard are; by default where the build puts them. */
  readonly dashboardFiles?: URL | undefined
}

export function browserRoutes(app: OpenAPIHono, parts: BrowserParts): void {
  const { logins, port, dashboardFiles } = parts
  app.openapi(ROUTES.createLogin, c => {
    const { code, expiresAt } = logins.invite(c.get('caller'), c.req.valid('json').scopes)
    return c.json({ path: loginPath(code), expiresAt }, 201)
  })

  app.openapi(ROUTES.login, c => {
    // A HEAD request only asks whether the address exists; it must not use up the code.
    if (c.req.method === 'HEAD') return c.body(null, 303)
    const login = logins.redeem(c.req.valid('query').code ?? '')
    if (login === null) throw usedUp()
    c.header('set-cookie', cookieHeader(port(), login.cookie))
    // The browser sends the part after # to no server, not even to ours.
    return c.redirect(`/#csrf=${login.key}`, 303)
  })

  const files = dashboard(dashboardFiles)
  const showDashboard = async (c: Context) => {
    c.header('content-security-policy', files.policy)
    return c.html(await files.document(), 200)
  }
  app.openapi(ROUTES.home, showDashboard)
  for (const path of PAGE_PATHS) app.get(path, showDashboard)

  app.openapi(ROUTES.asset, async c => {
    const { type, bytes } = await files.asset(c.req.valid('param').name)
    // The name holds a hash of the content.
    c.header('cache-control', 'public, max-age=31536000, immutable')
    c.header('content-type', type)
    return c.body(bytes, 200)
  })

  app.openapi(ROUTES.logout, c => {
    const cookie = cookieOf(c, port())
    if (cookie !== null) logins.end(cookie)
    c.header('set-cookie', cookieHeader(port(), ''))
    return c.body(null, 204)
  })
}

function usedUp(): RepriseError {
  return new RepriseError(
    'unauthorized',
    'this address was used already, or is older than a minute',
    'Ask for another one: `reprise login` in a terminal.',
  )
}
