// The daemon's HTTP app, without the server that listens: guard, body, routes, errors, and its own description.
import { OpenAPIHono } from '@hono/zod-openapi'
import { routePath } from 'hono/route'
import type { LocalReprise } from '../api.ts'
import { RepriseError } from '../errors.ts'
import { boundedBody } from './body.ts'
import { Logins } from './browser/logins.ts'
import { schemaOf } from './contract/document.ts'
import { errorAnswer } from './error-answer.ts'
import { DEFAULT_STREAM_TIMING, type StreamTiming } from './events/event-stream.ts'
import { type GuardOptions, guard, securityHeaders } from './guard.ts'
import { inputFault } from './input-fault.ts'
import { requestsSeen } from './requests-seen.ts'
import { browserRoutes } from './routes/browser.ts'
import { chainRoutes } from './routes/chains.ts'
import { descriptionRoutes } from './routes/description.ts'
import { eventRoutes } from './routes/events.ts'
import { jobRoutes } from './routes/jobs.ts'
import { metricRoutes } from './routes/metrics.ts'
import { reportRoutes } from './routes/reports.ts'
import { runRoutes } from './routes/runs.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { type StopRequest, stopRoutes } from './routes/stop.ts'
import { threadFileRoutes } from './routes/thread-files.ts'
import { threadRoutes } from './routes/threads.ts'
import { wholeIds } from './whole-ids.ts'

export type AppOptions = GuardOptions & {
  readonly reprise: LocalReprise
  readonly version: string
  /** Receives errors that are our own fault; the caller only learns that there was one. */
  readonly onFault?: (error: unknown) => void
  /** Abort it to end all streams; their readers reconnect to the next daemon. */
  readonly closing?: AbortSignal
  readonly timing?: Partial<StreamTiming>
  /** How many event streams may be open at one time. */
  readonly maxListeners?: number
  /** Stops the daemon; absent when the program that started it stops it. */
  readonly onStopRequest?: StopRequest
  /** A directory with the files of the dashboard, instead of the one of the build. */
  readonly dashboardFiles?: URL
}

export function createApp(options: AppOptions): OpenAPIHono {
  const { reprise, version, onFault = () => {}, now = Date.now } = options
  const timing = { ...DEFAULT_STREAM_TIMING, ...options.timing }
  const listeners = { count: 0 }
  const requests = requestsSeen()
  const logins = options.logins ?? new Logins({ tokens: options.tokens, now })
  const closing = options.closing ?? new AbortController().signal

  const app = new OpenAPIHono({
    defaultHook: (result, c) => {
      if (result.success) return
      const schema = schemaOf(c.req.method, routePath(c), result.target)
      throw inputFault(result.target, result.error, schema)
    },
  })
  app.onError((error, c) => errorAnswer(c, error, onFault))
  app.notFound(c => errorAnswer(c, noRoute(c.req.method), onFault))
  app.use(securityHeaders(), requests.middleware, guard({ ...options, logins }))
  app.use(
    wholeIds((request, env) => app.fetch(request, env), reprise),
    boundedBody(),
  )

  threadRoutes(app, reprise)
  threadFileRoutes(app, reprise)
  runRoutes(app, reprise)
  jobRoutes(app, reprise)
  chainRoutes(app, reprise)
  sessionRoutes(app, reprise)
  eventRoutes(app, {
    reprise,
    listeners,
    timing,
    closing,
    maxListeners: options.maxListeners ?? 256,
  })
  reportRoutes(app, { reprise, version, now })
  metricRoutes(app, { reprise, listeners, requests })
  descriptionRoutes(app, version)
  stopRoutes(app, options.onStopRequest)
  browserRoutes(app, { logins, port: options.port, dashboardFiles: options.dashboardFiles })
  return app
}

function noRoute(method: string): RepriseError {
  return new RepriseError('not-found', `there is no such route for ${method}`, 'See /docs.')
}
