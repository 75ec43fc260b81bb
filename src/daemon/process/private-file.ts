// Checks, creates and replaces files that only their owner may read.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { RepriseError } from '../../errors.ts'

export type Found =
  | { readonly state: 'missing' }
  | { readonly state: 'usable'; readonly text: string }
  | { readonly state: 'unsafe'; readonly problem: string; readonly hint: string }

/** Checks and reads through one descriptor, so that nobody can swap the file in between. */
export function readPrivate(path: string): Found {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    return whyNotOpened(path, error)
  }
  try {
    const unsafe = whyUnsafe(path, fstatSync(file))
    return unsafe ?? { state: 'usable', text: readFileSync(file, 'utf8') }
  } finally {
    closeSync(file)
  }
}

/** Fails with EEXIST when anything is there, even a dangling link. */
export function createPrivate(path: string, text: string): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const file = openSync(path, flags, 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** A reader sees the old text or the new one, never a part. */
export function replacePrivate(path: string, text: string): void {
  const next = `${path}.${process.pid}`
  rmSync(next, { force: true })
  createPrivate(next, text)
  renameSync(next, path)
}

function whyNotOpened(path: string, error: unknown): Found {
  const code = codeOf(error)
  if (code === 'ENOENT') return { state: 'missing' }
  if (code === 'ELOOP' || code === 'EMLINK') {
    return unsafe(`${path} is a symbolic link`, `remove it: rm ${path}`)
  }
  const why = error instanceof Error ? error.message : String(error)
  throw new RepriseError(
    'bad-config',
    `${path} cannot be read: ${why}`,
    `Run \`ls -l ${path}\` to see who owns it.`,
    error,
  )
}

function whyUnsafe(path: string, stat: Stats): Found | null {
  if (!stat.isFile()) return unsafe(`${path} is not a file`, `remove it: rm -r ${path}`)
  const uid = process.getuid?.()
  if (uid !== undefined && stat.uid !== uid) {
    return unsafe(`${path} belongs to another user (${stat.uid})`, `remove it: rm ${path}`)
  }
  if ((stat.mode & 0o077) === 0) return null
  const mode = (stat.mode & 0o777).toString(8)
  // Somebody may have read it already: closing it now would not make it secret again.
  return unsafe(
    `${path} is open to others (mode ${mode})`,
    `others may know what is in it: rm ${path}, a new one will be made`,
  )
}

function unsafe(problem: string, hint: string): Found {
  return { state: 'unsafe', problem, hint }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
