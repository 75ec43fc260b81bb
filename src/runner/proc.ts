// Reads Linux's /proc: which processes live, their parents, and whether they carry a run's marker.
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs'

/** A pid can be reused; together with its start time (clock ticks since boot) it names one process. */
export type ProcessRef = { readonly pid: number; readonly startTime: string }

export type ProcessInfo = ProcessRef & {
  readonly parent: number
  readonly group: number
  readonly session: number
}

export const MARKER_VARIABLE = 'REPRISE_RUN_ID'
export const hasProc = existsSync('/proc/self/stat')

/** How many fields are read: up to the start time. */
const STAT_FIELDS = 20
const START_BYTES = 16 * 1024
let buffer = Buffer.allocUnsafeSlow(START_BYTES)

export function listPids(): readonly number[] {
  return readdirSync('/proc').filter(startsWithDigit).map(Number)
}

/** `null` for a process that has ended; a zombie counts as ended. */
export function readProcess(pid: number): ProcessInfo | null {
  const fields = statFields(pid)
  if (fields === null) return null
  const [state, parent, group, session] = fields
  const startTime = fields[19]
  if (startTime === undefined || state === 'Z' || state === 'X') return null
  return {
    pid,
    startTime,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
  }
}

export function isSameProcess(ref: ProcessRef): boolean {
  return readProcess(ref.pid)?.startTime === ref.startTime
}

/** Works for a zombie too; '' when it is not known. */
export function readStartTime(pid: number): string {
  const fields = hasProc ? statFields(pid) : null
  return fields?.[19] ?? ''
}

/** The real path of its directory; `… (deleted)` when that is gone. `null` when it is not known. */
export function readWorkDir(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null // It ended in the meantime, belongs to somebody else, or there is no /proc.
  }
}

/** Its memory that is not swapped out; 0 for a process that has ended. */
export function readMemoryBytes(pid: number): number {
  try {
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(resident ?? 0) * 1024
  } catch {
    return 0 // It ended in the meantime.
  }
}

/** Lists only processes of our own user. */
export function carriesMarker(pid: number, marker: string): boolean {
  if (!isOurs(pid)) return false
  const environ = readWhole(`/proc/${pid}/environ`)
  if (environ === null) return false
  const entry = `${MARKER_VARIABLE}=${marker}\0`
  if (environ.subarray(0, entry.length).equals(Buffer.from(entry))) return true
  return environ.includes(`\0${entry}`)
}

/**
 * Fields from the third on: the second, a name in brackets, may hold anything, also brackets and newlines.
 * The file is read as UTF-8, which Node does in one native call: every run ends with a read of all processes.
 */
function statFields(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ', STAT_FIELDS)
  } catch {
    return null // It ended in the meantime, or belongs to somebody else.
  }
}

function startsWithDigit(name: string): boolean {
  const first = name.charCodeAt(0)
  return first >= 0x30 && first <= 0x39
}

function isOurs(pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.()
}

/** The bytes are valid until the next call. `null`: the process has ended, or we may not read it. */
function readWhole(path: string): Buffer | null {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return null // It ended in the meantime, or belongs to somebody else.
  }
  try {
    let length = 0
    for (;;) {
      const count = readSync(file, buffer, length, buffer.length - length, null)
      length += count
      if (count === 0) return buffer.subarray(0, length)
      if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
    }
  } catch {
    return null // It ended while it was read (ESRCH).
  } finally {
    closeSync(file)
  }
}
