// The result of a check of the installation, and the checks that look only at this machine.
import { readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RepriseError } from '../../errors.ts'

export type Diagnosis = {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'bad'
  readonly detail: string
  /** What to do about it. */
  readonly hint: string | null
  /** The exit code of `reprise doctor` when this is bad; default: 2. */
  readonly exitCode?: number
}

type Look = () => Diagnosis | readonly Diagnosis[] | Promise<Diagnosis | readonly Diagnosis[]>

const OLDEST_NODE = [22, 18] as const
const LITTLE_SPACE_BYTES = 1024 ** 3
const NO_SPACE_BYTES = 100 * 1024 ** 2

export function ok(check: string, detail: string): Diagnosis {
  return { check, state: 'ok', detail, hint: null }
}

/** Turns an error of a check into a finding. */
export async function look(check: string, at: Look): Promise<readonly Diagnosis[]> {
  try {
    const found = await at()
    return 'check' in found ? [found] : found
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    const [hint, exitCode] =
      error instanceof RepriseError ? [error.hint, error.exitCode] : ['please report it', 70]
    return [{ check, state: 'bad', detail, hint, exitCode }]
  }
}

export function checkNode(version: string): Diagnosis {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) {
    return ok('node', version)
  }
  const detail = `${version} is too old`
  const hint = `install ${OLDEST_NODE.join('.')} or newer`
  return { check: 'node', state: 'bad', detail, hint, exitCode: 70 }
}

export function checkDataDirectory(home: string): Diagnosis {
  const check = 'data directory'
  const stat = statSync(home)
  if (stat.uid !== (process.getuid?.() ?? stat.uid)) {
    const detail = `${home} belongs to another user (${stat.uid})`
    return { check, state: 'bad', detail, hint: 'set REPRISE_HOME to a directory of your own' }
  }
  const open = [home, ...filesIn(home)].filter(path => isOpen(path))
  if (open.length === 0) return ok(check, home)
  const [first] = open
  const detail = `${open.length} of its files can be read by others, such as ${first}`
  return { check, state: 'warn', detail, hint: `close them: chmod -R go= ${home}` }
}

export function checkDiskSpace(home: string): Diagnosis {
  const check = 'disk space'
  const { bavail, bsize } = statfsSync(home)
  const free = bavail * bsize
  const detail = `${(free / 1024 ** 3).toFixed(1)} GB free`
  if (free >= LITTLE_SPACE_BYTES) return ok(check, detail)
  const state = free < NO_SPACE_BYTES ? 'bad' : 'warn'
  const hint = `make room where ${home} is, or set REPRISE_HOME`
  return { check, state, detail, hint, exitCode: 70 }
}

const PROBE_BYTES = 64 * 1024

/** Writes a small file and removes it: free space says nothing about a quota or a disk that became read-only. */
export function checkWritable(home: string): Diagnosis {
  const check = 'disk'
  const probe = join(home, `.doctor-${process.pid}`)
  try {
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { flag: 'wx', mode: 0o600, flush: true })
    return ok(check, 'can be written')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const found = UNWRITABLE[code] ?? `it cannot be written: ${code || String(error)}`
    const hint = `make room or make it writable where ${home} is, or set REPRISE_HOME to another directory`
    return { check, state: 'bad', detail: found, hint, exitCode: 70 }
  } finally {
    rmSync(probe, { force: true })
  }
}

const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOSPC: 'it is full: nothing can be stored',
  EDQUOT: 'your quota on it is used up: nothing can be stored',
  EROFS: 'it is read-only: nothing can be stored',
  EACCES: 'you may not write there',
}

function filesIn(home: string): readonly string[] {
  const names = readdirSync(home)
  const logs = names.includes('logs') ? readdirSync(join(home, 'logs')) : []
  return [...names, ...logs.map(name => join('logs', name))].map(name => join(home, name))
}

function isOpen(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && (stat.mode & 0o077) !== 0
}
