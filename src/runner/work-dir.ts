// The directory an agent is started in, held open from the look until the start: what was looked at is what it gets.
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
  /** To be started in: leads to the directory itself, whatever has its name by now. */
  readonly cwd: string
  /** The open directory; `null` where a system does not name open files. */
  readonly file: number | null
  release(): void
}

const OPEN_FILES = '/proc/self/fd'

/**
 * Throws when it is no directory that may be read, or when its path leads elsewhere by now. A path that is looked at
 * and used after that can lead to two places: a program that swaps it for a link fast enough gets in between. Where a
 * system does not name open files, the look comes as short before the start as it can.
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
    'Name an existing directory that you may read.',
  )
}

/** What a look gives, or the code of what was wrong. */
function attempt<T>(look: () => T): T | string {
  try {
    return look()
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
