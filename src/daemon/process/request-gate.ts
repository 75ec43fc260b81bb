// Every request passes here before the app: the gate adds the daemon's proof, logs, and refuses new work while the daemon stops.
import type { Logger } from 'pino'
import { callerIn, type Tokens } from '../caller.ts'
import { NONCE_PATTERN, PROOF_HEADER, proofOf, SOCKET_PORT } from '../contract/proof.ts'
import type { ErrorBody } from '../contract/report.ts'
import { createPacing } from './pacing.ts'
import { isOverSocket } from './socket.ts'

export type DoorwayOptions<Env> = {
  readonly answer: (request: Request, env: Env) => Response | Promise<Response>
  readonly tokens: Tokens
  readonly port: () => number
  readonly closing: AbortSignal
  readonly logger: Logger
}

const STOPPING: ErrorBody = {
  error: {
    code: 'daemon-unreachable',
    message: 'the daemon is stopping',
    hint: 'Start it with `reprise serve`, then send the request again.',
  },
}

export function doorway<Env>(options: DoorwayOptions<Env>) {
  const { answer, closing, logger } = options
  const pacing = createPacing()
  return async (request: Request, env: Env): Promise<Response> => {
    if (closing.aborted) return Response.json(STOPPING, { status: 503 })
    const startedAt = performance.now()
    const { pathname, searchParams } = new URL(request.url)
    // A health check asks about the daemon, not about the queue of requests.
    if (pathname !== '/health') await pacing.enter()
    const response = await answer(request, env)
    if (pathname === '/health' && isLetIn(response)) {
      const port = isOverSocket(env) ? SOCKET_PORT : options.port()
      const proof = proofFor(searchParams, options.tokens, port)
      if (proof !== null) response.headers.set(PROOF_HEADER, proof)
    }
    const via = isOverSocket(env) ? 'socket' : 'tcp'
    logRequest(logger, {
      request,
      response,
      pathname,
      startedAt,
      via,
      by: callerIn(env)?.name ?? null,
    })
    return response
  }
}

/** `token` is the id of a token for others; without it, the proof uses the main token. */
function proofFor(asked: URLSearchParams, tokens: Tokens, port: number): string | null {
  const nonce = asked.get('nonce')
  if (nonce === null || !NONCE_PATTERN.test(nonce)) return null
  const hash = tokens.hashOf(asked.get('token'))
  return hash && proofOf(hash, { nonce, port })
}

/** A caller that the guard refused, for example a page of another origin, gets no proof either. */
function isLetIn({ status }: Response): boolean {
  return status === 200 || status === 503
}

type Answered = {
  readonly request: Request
  readonly response: Response
  readonly pathname: string
  readonly startedAt: number
  readonly via: 'socket' | 'tcp'
  /** The name of the token, or the browser. */
  readonly by: string | null
}

/** Logs the path without its query: a search text is private. */
function logRequest(logger: Logger, answered: Answered): void {
  const { request, response, pathname, startedAt, via, by } = answered
  const { status } = response
  const ms = Math.round(performance.now() - startedAt)
  const line = { method: request.method, path: pathname.slice(0, 200), status, ms, via, by }
  if (status >= 500 && pathname !== '/health') logger.warn(line, 'request')
  else if (request.method === 'GET' && status < 400) logger.debug(line, 'request')
  else logger.info(line, 'request')
}
