// Why an agent could not be started, with a hint for the user.
import { accessSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs'
import { RepriseError } from '../errors.ts'

const MARKER_PATTERN = /^[A-Za-z0-9_]{1,64}$/

/** The first bytes of files that a kernel can run: script, ELF, Mach-O in its forms, and Windows programs under WSL. */
const PROGRAM_STARTS = [
  '2321',
  '7f454c46',
  'cafebabe',
  'feedface',
  'feedfacf',
  'cefaedfe',
  'cffaedfe',
  '4d5a',
]

export function assertMarker(marker: string): void {
  if (MARKER_PATTERN.test(marker)) return
  throw new RepriseError(
    'bad-input',
    `${JSON.stringify(marker)} cannot mark a run's processes`,
    'Use 1 to 64 letters, digits and underscores.',
  )
}

/** The C library gives a file that is not a program to a shell. Reprise never runs anything by a shell, so it checks first. */
export function assertProgram(file: string): void {
  const start = firstBytes(file)
  if (start === null || PROGRAM_STARTS.some(known => matches(start, known))) return
  assertExecutable(file)
  throw unusable(file, 'is not a program', undefined)
}

function assertExecutable(file: string): void {
  try {
    accessSync(file, constants.X_OK)
  } catch (error) {
    throw startError(file, error)
  }
}

function firstBytes(file: string): Buffer | null {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const bytes = Buffer.alloc(4)
      return bytes.subarray(0, readSync(descriptor, bytes))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return null // The file cannot be read; the start itself will say what is wrong.
  }
}

function matches(start: Buffer, known: string): boolean {
  return start.toString('hex').startsWith(known)
}

/** What a failed start means. The work dir is held open, so ENOENT is about the executable. */
export function startError(file: string, error: unknown): RepriseError {
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    if (existsSync(file)) return unusable(file, 'names an interpreter that does not exist', error)
    return new RepriseError(
      'agent-missing',
      `There is no program at ${file}`,
      'Install the agent, or set its `executable` in config.yaml.',
      error,
    )
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new RepriseError(
      'agent-unusable',
      `You may not execute ${file}`,
      `Allow it with \`chmod +x ${file}\`, or set \`executable\` in config.yaml to another program.`,
      error,
    )
  }
  if (code === 'ENOEXEC') return unusable(file, 'is not a program', error)
  if (code === 'E2BIG' || code === 'ERR_INVALID_ARG_VALUE') {
    return new RepriseError(
      'bad-input',
      `The arguments or the environment for ${file} cannot be passed on (${code})`,
      'Shorten them, and remove NUL characters.',
      error,
    )
  }
  return unusable(file, `could not be started (${code})`, error)
}

function unusable(file: string, why: string, cause: unknown): RepriseError {
  return new RepriseError(
    'agent-unusable',
    `${file} ${why}`,
    'Check that the agent is installed for this machine and that `executable` in config.yaml names it.',
    cause,
  )
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code)
  return String(error)
}
