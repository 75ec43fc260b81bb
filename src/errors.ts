// The one error that Reprise throws, and what each code means to a shell and to HTTP.

/** The kind of an error. It decides about the exit code of the CLI and the status of HTTP. */
export type ErrorCode =
  | 'bad-input'
  | 'bad-config'
  | 'not-found'
  | 'busy'
  | 'conflict'
  | 'lease-lost'
  | 'cancelled'
  | 'agent-missing'
  | 'agent-unusable'
  | 'agent-failed'
  | 'store-newer'
  | 'store-unusable'
  | 'store-full'
  | 'daemon-unreachable'
  | 'node-too-old'
  | 'unauthorized'
  | 'forbidden'
  | 'too-large'
  | 'unsupported-type'
  | 'too-many'
  | 'internal'

type Consequence = { readonly exitCode: number; readonly httpStatus: number }

/** A code without its consequences does not compile. */
export const CONSEQUENCES: Record<ErrorCode, Consequence> = {
  'bad-input': { exitCode: 2, httpStatus: 400 },
  'bad-config': { exitCode: 2, httpStatus: 422 },
  'not-found': { exitCode: 3, httpStatus: 404 },
  busy: { exitCode: 4, httpStatus: 409 },
  conflict: { exitCode: 4, httpStatus: 409 },
  'lease-lost': { exitCode: 4, httpStatus: 409 },
  cancelled: { exitCode: 5, httpStatus: 409 },
  'agent-missing': { exitCode: 2, httpStatus: 503 },
  'agent-unusable': { exitCode: 2, httpStatus: 503 },
  'agent-failed': { exitCode: 1, httpStatus: 502 },
  'store-newer': { exitCode: 2, httpStatus: 500 },
  'store-unusable': { exitCode: 70, httpStatus: 503 },
  'store-full': { exitCode: 70, httpStatus: 507 },
  unauthorized: { exitCode: 2, httpStatus: 401 },
  forbidden: { exitCode: 2, httpStatus: 403 },
  'too-large': { exitCode: 2, httpStatus: 413 },
  'unsupported-type': { exitCode: 2, httpStatus: 415 },
  'too-many': { exitCode: 4, httpStatus: 429 },
  'daemon-unreachable': { exitCode: 70, httpStatus: 503 },
  'node-too-old': { exitCode: 70, httpStatus: 500 },
  internal: { exitCode: 70, httpStatus: 500 },
}

/** The only error that Reprise throws. It means that the caller must change something; what an agent does wrong is a result. */
export class RepriseError extends Error {
  override readonly name = 'RepriseError'
  readonly code: ErrorCode
  /** What the reader can do about it. */
  readonly hint: string

  constructor(code: ErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.hint = hint
  }

  /** What the CLI exits with. */
  get exitCode(): number {
    return CONSEQUENCES[this.code].exitCode
  }

  /** What the daemon answers with; a backend of your own can do the same. */
  get httpStatus(): number {
    return CONSEQUENCES[this.code].httpStatus
  }
}
