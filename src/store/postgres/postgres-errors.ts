// Turns errors of PostgreSQL and of the network into errors of Reprise. None of them shows the password.
import { type ErrorCode, RepriseError } from '../../errors.ts'

type Complaint = {
  readonly starts: string
  readonly code: ErrorCode
  readonly why: string
  readonly hint: string
}

const AWAY = {
  code: 'store-unusable',
  why: 'the database does not answer',
  hint: 'check with `reprise doctor` that it runs and that its host and port are right; nothing that was acknowledged is lost',
} as const

const NO_ENTRY = {
  code: 'store-unusable',
  why: 'the database refuses the user or the password',
  hint: 'correct both in REPRISE_DATABASE_URL, then check with `reprise doctor`',
} as const

const READ_ONLY = {
  code: 'store-unusable',
  why: 'the database only allows reading',
  hint: 'connect to the primary server, not to a copy of it',
} as const

/** By SQLSTATE or by the code of Node, the more exact ones first. */
const COMPLAINTS: readonly Complaint[] = [
  { starts: '28', ...NO_ENTRY },
  {
    starts: '08P01',
    code: 'store-unusable',
    why: 'what answers there does not let Reprise make its settings',
    hint: 'connect to the server itself, or to a pooler in session mode that passes on `options`',
  },
  {
    starts: '3D000',
    code: 'store-unusable',
    why: 'there is no such database',
    hint: 'create it with `createdb`, or correct its name in REPRISE_DATABASE_URL',
  },
  {
    starts: '42501',
    code: 'store-unusable',
    why: 'the user of the database lacks a right',
    hint: 'let an administrator run `create schema "reprise" authorization USER` in this database, and the same for `reprise_work`',
  },
  {
    starts: '25006',
    ...READ_ONLY,
  },
  {
    starts: '23503',
    code: 'not-found',
    why: 'what this belongs to is not in the store',
    hint: 'run `reprise threads` to see the ids; the thread may have been removed',
  },
  {
    starts: '23505',
    code: 'conflict',
    why: 'this is already in the store',
    hint: 'use a new id',
  },
  {
    starts: '23',
    code: 'internal',
    why: 'the store refused a value',
    hint: 'this is a fault of Reprise: report it with this message',
  },
  {
    starts: '53100',
    code: 'store-full',
    why: 'there is no space left for the database',
    hint: 'free some disk space there and run the command again; nothing that was acknowledged is lost',
  },
  {
    starts: '53300',
    code: 'store-unusable',
    why: 'the database has no connection left',
    hint: 'raise `max_connections` of the server, or run fewer processes',
  },
  {
    starts: '40',
    code: 'store-unusable',
    why: 'other processes keep changing the same rows',
    hint: 'run the command again',
  },
  {
    starts: '57014',
    code: 'store-unusable',
    why: 'the database took too long',
    hint: 'look for what blocks it in `pg_stat_activity`, then run the command again',
  },
  {
    starts: '55P03',
    code: 'store-unusable',
    why: 'another process keeps the store locked',
    hint: 'look for what blocks it in `pg_stat_activity`, then run the command again',
  },
  {
    starts: '42P01',
    code: 'store-unusable',
    why: 'a table of the store is missing',
    hint: 'restore the database from a backup, or remove the schema `reprise` to start with an empty store',
  },
]

const UNKNOWN = {
  code: 'store-unusable',
  why: 'the database cannot be used',
  hint: 'check it with `reprise doctor`',
} as const

/** `place`: where the database is, without its password. Gives errors that do not come from the database back unchanged. */
export function postgresError(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof RepriseError) return error
  const code = codeOf(error)
  if (code === null && !isAway(error) && !isTls(error)) return error
  const { why, hint, ...complaint } = isAway(error) ? AWAY : complaintAbout(code ?? '', error)
  return new RepriseError(complaint.code, `${why}: ${detailOf(error)} (${place})`, hint, error)
}

function complaintAbout(code: string, error: Error): Omit<Complaint, 'starts'> {
  if (isTls(error) || isUnencrypted(error)) {
    return {
      code: 'store-unusable',
      why: 'there is no trusted connection to the database',
      hint: 'set `sslmode` and `sslrootcert` in REPRISE_DATABASE_URL to what the server offers',
    }
  }
  if (isStandby(error)) return READ_ONLY
  return COMPLAINTS.find(complaint => code.startsWith(complaint.starts)) ?? UNKNOWN
}

/** An error of several addresses that were tried has no message of its own. */
function detailOf(error: Error): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(one => (one instanceof Error ? one.message : String(one))).join('; ')
  }
  return error.message
}

const NETWORK_CODES: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]
/** What pg says without a code. */
const NETWORK_WORDS = /^Connection terminated|^timeout e|not queryable|^Query read timeout/

/** The connection is gone, or there is none: the transaction did not commit, unless its commit was under way. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (code === null) return NETWORK_WORDS.test(error.message)
  // 57P01 to 57P03: the server ends, has crashed, or is starting. 25P03, 57P05: it ended a connection that was idle for too long.
  return NETWORK_CODES.includes(code) || /^(?:08(?!P01)|57P0[1235]|25P03)/.test(code)
}

/** The database has undone the transaction because of another one: it can be repeated. */
export function isOvertaken(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

function isTls(error: Error): boolean {
  const code = codeOf(error) ?? ''
  return (
    /^(?:ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code) || /SSL/.test(error.message)
  )
}

/** The primary has become a copy of another server. */
function isStandby(error: Error): boolean {
  return codeOf(error) === '0A000' && error.message.includes('recovery')
}

/** The server lets nobody in without TLS. */
function isUnencrypted(error: Error): boolean {
  return codeOf(error) === '28000' && error.message.includes('no encryption')
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || error instanceof RepriseError) return null
  if (!('code' in error) || typeof error.code !== 'string') return null
  return error.code
}
