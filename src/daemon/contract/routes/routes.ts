// Every route, once. The server validates requests with it; OpenAPI, docs/http-api.md and the types of clients are made from it.
import type { NeedsScope } from '../scope.ts'
import { BROWSER_ROUTES, PAGE_PATHS } from './browser-routes.ts'
import { CHAIN_ROUTES } from './chain-routes.ts'
import { JOB_ROUTES } from './job-routes.ts'
import { REPORT_ROUTES } from './report-routes.ts'
import { RUN_ROUTES } from './run-routes.ts'
import { SESSION_ROUTES } from './session-routes.ts'
import { THREAD_FILE_ROUTES } from './thread-file-routes.ts'
import { THREAD_ROUTES } from './thread-routes.ts'

/** Composed of named parts, because the full type is too long for the compiler. */
type Routes = typeof THREAD_ROUTES &
  typeof THREAD_FILE_ROUTES &
  typeof RUN_ROUTES &
  typeof JOB_ROUTES &
  typeof CHAIN_ROUTES &
  typeof SESSION_ROUTES &
  typeof REPORT_ROUTES &
  typeof BROWSER_ROUTES

export const ROUTES: Routes = {
  ...THREAD_ROUTES,
  ...THREAD_FILE_ROUTES,
  ...RUN_ROUTES,
  ...JOB_ROUTES,
  ...CHAIN_ROUTES,
  ...SESSION_ROUTES,
  ...REPORT_ROUTES,
  ...BROWSER_ROUTES,
}

/** These paths need no token; all others do. */
export const PUBLIC_PATHS: readonly string[] = Object.values<NeedsScope>(ROUTES)
  .filter(({ scope }) => scope === null)
  .map(({ path }) => path)

const BY_ROUTE = new Map<string, NeedsScope>([
  ...Object.values(ROUTES).map(
    route => [`${route.method.toUpperCase()} ${route.getRoutingPath()}`, route] as const,
  ),
  ...PAGE_PATHS.map(path => [`GET ${path}`, { path, scope: 'read', page: true }] as const),
])

/** The scope that a route needs, by the path it was registered with; `null` for an unknown route. */
export function needsOf(method: string, routingPath: string): NeedsScope | null {
  return BY_ROUTE.get(`${method} ${routingPath}`) ?? null
}

export function loginPath(code: string): string {
  return `${ROUTES.login.path}?code=${code}`
}
