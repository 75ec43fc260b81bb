// Turns every error into one shape. Details of internal errors stay in the log.
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { CONSEQUENCES, type ErrorCode, RepriseError } from '../errors.ts'
import { ERROR_POLICY, errorPage } from './browser/error-page.ts'
import type { ErrorBody } from './contract/report.ts'

export function errorAnswer(c: Context, error: unknown, onFault: (error: unknown) => void) {
  const known = asKnown(error)
  if (known.code === 'internal') onFault(error)
  const body: ErrorBody = {
    error: { code: known.code, message: known.message, hint: known.hint },
  }
  const status = CONSEQUENCES[known.code].httpStatus as ContentfulStatusCode
  if (isPage(c)) {
    c.header('content-security-policy', ERROR_POLICY)
    return c.html(errorPage(known), status)
  }
  if (known.code === 'too-many') c.header('Retry-After', '60')
  if (known.code === 'unauthorized') c.header('WWW-Authenticate', 'Bearer')
  return c.json(body, status)
}

/** A browser opens the address itself: people read the answer. Programs and our own script ask for JSON or for anything. */
function isPage(c: Context): boolean {
  const { method, path } = c.req
  const isRead = method === 'GET' && !path.startsWith('/api/')
  return isRead && (c.req.header('accept') ?? '').includes('text/html')
}

function asKnown(error: unknown): RepriseError {
  if (error instanceof RepriseError) return error
  if (error instanceof HTTPException && error.status < 500) {
    return new RepriseError(codeOf(error.status), error.message, 'See /docs for what is expected.')
  }
  return new RepriseError(
    'internal',
    'something went wrong in Reprise',
    'Look into logs/daemon.log in the data directory, and please report it.',
  )
}

function codeOf(status: number): ErrorCode {
  if (status === 413) return 'too-large'
  if (status === 415) return 'unsupported-type'
  return status === 404 ? 'not-found' : 'bad-input'
}
