// Turns errors of SQLite and the file system into errors of Reprise.
import { type ErrorCode, RepriseError } from '../../errors.ts'

type Complaint = {
  readonly starts: string
  readonly code: ErrorCode
  readonly why: string
  readonly hint: string
}

const FULL = {
  code: 'store-full',
  why: 'there is no space left for the store',
  hint: 'free some disk space and run the command again; nothing that was acknowledged is lost',
} as const

const COMPLAINTS: readonly Complaint[] = [
  { starts: 'SQLITE_FULL', ...FULL },
  { starts: 'ENOSPC', ...FULL },
  // SQLite cannot grow the shared-memory file through which processes see each other's locks.
  { starts: 'SQLITE_IOERR_SHMSIZE', ...FULL },
  {
    starts: 'SQLITE_BUSY',
    code: 'store-unusable',
    why: 'another program keeps the store locked',
    hint: 'run `fuser` on the database file to see which program holds it, end it, then try again',
  },
  {
    starts: 'SQLITE_LOCKED',
    code: 'store-unusable',
    why: 'another program keeps the store locked',
    hint: 'run `fuser` on the database file to see which program holds it, end it, then try again',
  },
  {
    starts: 'SQLITE_NOTADB',
    code: 'store-unusable',
    why: 'the store is not a database, or it is damaged',
    hint: 'restore it from a backup, or move it away with `mv` to start with an empty store',
  },
  {
    starts: 'SQLITE_CORRUPT',
    code: 'store-unusable',
    why: 'the store is damaged',
    hint: 'restore it from a backup, or move it away with `mv` to start with an empty store',
  },
  {
    starts: 'SQLITE_READONLY',
    code: 'store-unusable',
    why: 'the store cannot be written',
    hint: 'make the database file and its directory writable for you: `chmod u+rw`',
  },
  {
    starts: 'EROFS',
    code: 'store-unusable',
    why: 'the store is on a read-only file system',
    hint: 'set REPRISE_HOME to a directory that you can write to',
  },
  {
    starts: 'SQLITE_CONSTRAINT_FOREIGNKEY',
    code: 'not-found',
    why: 'what this belongs to is not in the store',
    hint: 'run `reprise threads` to see the ids; the thread may have been removed',
  },
  {
    starts: 'SQLITE_CONSTRAINT_UNIQUE',
    code: 'conflict',
    why: 'this is already in the store',
    hint: 'use a new id',
  },
  {
    starts: 'SQLITE_CONSTRAINT_PRIMARYKEY',
    code: 'conflict',
    why: 'this is already in the store',
    hint: 'use a new id',
  },
  {
    starts: 'SQLITE_CONSTRAINT',
    code: 'internal',
    why: 'the store refused a value',
    hint: 'this is a fault of Reprise: report it with this message',
  },
  {
    starts: 'SQLITE_IOERR',
    code: 'store-unusable',
    why: 'the disk under the store failed',
    hint: 'check the disk, then run `reprise verify`; nothing that was acknowledged is lost',
  },
]

const UNKNOWN = {
  code: 'store-unusable',
  why: 'the store cannot be used',
  hint: 'check that the database file is yours, readable and writable, and not a directory',
} as const

/** Gives errors that do not come from the database back unchanged. */
export function storeError(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (code === null) return error
  const { why, hint, ...complaint } = COMPLAINTS.find(c => code.startsWith(c.starts)) ?? UNKNOWN
  const detail = error instanceof Error ? error.message : code
  return new RepriseError(complaint.code, `${why}: ${detail} (${file})`, hint, error)
}

export function isBusy(error: unknown): boolean {
  const cause = error instanceof RepriseError ? error.cause : error
  return codeOf(cause)?.startsWith('SQLITE_BUSY') ?? false
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || error instanceof RepriseError) return null
  if (!('code' in error) || typeof error.code !== 'string') return null
  return error.code
}
