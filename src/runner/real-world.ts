// The real clock, randomness and files, and the identity of this process.
import { randomBytes, randomUUID } from 'node:crypto'
import { constants, promises as disk, readFileSync, type Stats } from 'node:fs'
import { hostname } from 'node:os'
import type { Clock, FileStat, Files, Random } from '../core/world.ts'
import { hasProc, readProcess } from './proc.ts'

/** The same shape as the store's owner of a lease. */
export type ProcessOwner = {
  readonly host: string
  readonly pid: number
  readonly startTime: string
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** A file that we may not read counts as missing. */
const NOT_THERE = new Set([
  'EACCES',
  'EPERM',
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ERR_INVALID_ARG_VALUE',
])

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      // A longer timer would fire at once; nothing here sleeps for weeks.
      const timer = setTimeout(wake, Math.min(ms, LONGEST_TIMER_MS))
      signal?.addEventListener('abort', wake)
    }),
}

export const systemRandom: Random = {
  uuid: () => randomUUID(),
  promptMark: () => letters(20),
  id: prefix => `${prefix}_${letters(16)}`,
}

export const systemFiles: Files = {
  stat: path => unlessMissing(async () => toFileStat(await disk.stat(path))),
  realpath: path => unlessMissing(() => disk.realpath(path)),
  list: directory => unlessMissing(() => disk.readdir(directory)),
  read: (path, fromByte = 0, toByte) => unlessMissing(() => readRange(path, fromByte, toByte)),
}

/** A byte's lower five bits are as random as the byte. */
function letters(count: number): string {
  return Array.from(randomBytes(count), byte => BASE32[byte & 31]).join('')
}

/** `host`: the host id of this process; default: the name of the machine. */
export function thisProcess(host = hostname()): ProcessOwner {
  return { host, pid: process.pid, startTime: startTimeSinceBoot(process.pid) }
}

/** `null`: the process is on another host than `host`, so nobody here knows, even if a process here has its pid. */
export function isAlive(owner: ProcessOwner, host = hostname()): boolean | null {
  if (owner.host !== host) return null
  if (hasProc) return startTimeSinceBoot(owner.pid) === owner.startTime
  try {
    return process.kill(owner.pid, 0)
  } catch {
    return false // There is no such process, or it belongs to another user and is not ours.
  }
}

/** Ticks since boot need the id of the boot. A zombie is dead. Without /proc there is only the pid. */
function startTimeSinceBoot(pid: number): string {
  const info = hasProc ? readProcess(pid) : null
  return info === null ? '' : `${info.startTime}@${bootId()}`
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)
  } catch {
    return '' // /proc is restricted: the ticks alone must do.
  }
}

function toFileStat(entry: Stats): FileStat {
  const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'other'
  return { kind, sizeBytes: entry.size, modifiedMs: entry.mtimeMs }
}

async function readRange(path: string, fromByte: number, toByte?: number): Promise<Uint8Array> {
  // A pipe in the place of a file must not block us until somebody writes to it.
  const file = await disk.open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const end = Math.min(toByte ?? Number.POSITIVE_INFINITY, (await file.stat()).size)
    const bytes = Buffer.alloc(Math.max(0, end - fromByte))
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes.subarray(length), { position: fromByte + length })
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  } finally {
    await file.close()
  }
}

async function unlessMissing<T>(look: () => Promise<T>): Promise<T | null> {
  try {
    return await look()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (NOT_THERE.has(code)) return null
    throw error
  }
}
