// The directory of an agent. It stays open from the check until the start, so that the agent gets the checked directory.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { RepriseError } from '../errors.ts'

export type HeldWorkDir = {
  /** The path to start in: it leads to the checked directory, whatever has its name by now. */
  readonly cwd: string
  /** The open directory; `null` where a system does not name open files. */
  readonly file: number | null
  release(): void
}

const OPEN_FILES = '/proc/self/fd'

/**
 * Throws when we may not read it as a directory, or when its path leads elsewhere by now. Between the check of a path
 * and its use, a fast program can replace it with a link. Where a system does not name open files, the check comes
 * right before the start.
 */
export function holdWorkDir(workDir: string): HeldWorkDir {
  if (!existsSync(OPEN_FILES)) {
    checkPlace(workDir, { at: workDir, real: () => realpathSync.native(workDir) })
    return { cwd: workDir, file: null, release: () => {} }
  }
  const file = attempt(() => openSync(workDir, constants.O_RDONLY | constants.O_NONBLOCK))
  if (typeof file === 'string') throw badWorkDir(workDir, whyNot(file))
  const cwd = `${OPEN_FILES}/${file}`
  try {
    checkPlace(workDir, { at: cwd, real: () => readlinkSync(cwd) })
  } catch (error) {
    closeSync(file)
    throw error
  }
  return { cwd, file, release: () => closeSync(file) }
}

type Place = { readonly at: string; readonly real: () => string }

function checkPlace(workDir: string, { at, real }: Place): void {
  const entry = attempt(() => statSync(at))
  if (typeof entry === 'string') throw badWorkDir(workDir, whyNot(entry))
  if (!entry.isDirectory()) throw badWorkDir(workDir, 'is not a directory')
  const place = attempt(real)
  if (place !== workDir) throw badWorkDir(workDir, `leads to ${place} by now`)
  const refused = attempt(() => accessSync(at, constants.R_OK | constants.X_OK))
  if (refused !== undefined) throw badWorkDir(workDir, `cannot be read (${refused})`)
}

function whyNot(code: string): string {
  return code === 'ENOENT' ? 'does not exist' : `cannot be used (${code})`
}

function badWorkDir(workDir: string, why: string): RepriseError {
  return new RepriseError(
    'bad-input',
    `The work dir ${JSON.stringify(workDir)} ${why}`,
    'Name an existing directory that you may read (--cwd DIR, `workDir`).',
  )
}

/** The result of a file operation, or its error code. */
function attempt<T>(look: () => T): T | string {
  try {
    return look()
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
