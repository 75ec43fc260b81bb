// Reads the last lines of a log without reading all of it, and follows what is added, also into the next file.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { codeOf } from '../../daemon/process/private-file.ts'

/** How far the file was read. `inode` tells it from the file that takes its place when the log is rotated. */
export type LogPlace = { readonly end: number; readonly inode?: number }

const CHUNK_BYTES = 64 * 1024
const LOOK_EVERY_MS = 200

/** `null` when there is no file. Reads backwards until there are enough lines that `isWanted`. */
export function lastLines(
  path: string,
  count: number,
  isWanted: (line: string) => boolean = () => true,
): (LogPlace & { readonly lines: readonly string[] }) | null {
  const file = opened(path)
  if (file === null) return null
  try {
    const { size, ino } = fstatSync(file)
    let lines: string[] = []
    let rest: Buffer = Buffer.alloc(0)
    for (let to = size; to > 0 && lines.length < count; to -= CHUNK_BYTES) {
      const from = Math.max(0, to - CHUNK_BYTES)
      const bytes = Buffer.concat([read(file, from, to), rest])
      // What stands before the first line break goes on in the chunk before, unless there is none.
      const start = from === 0 ? 0 : bytes.indexOf(0x0a) + 1
      rest = start === 0 && from > 0 ? bytes : bytes.subarray(0, start)
      const found = start === 0 && from > 0 ? '' : bytes.subarray(start).toString('utf8')
      lines = [...found.split('\n').filter(line => line !== '' && isWanted(line)), ...lines]
    }
    return { lines: lines.slice(-count), end: size, inode: ino }
  } finally {
    closeSync(file)
  }
}

/** Gives whole lines after a place until the signal aborts. A log that was rotated is read on from its new beginning. */
export async function* followLines(
  path: string,
  { end, inode }: LogPlace,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  const place = { end, inode }
  let rest = ''
  while (!signal.aborted) {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat && (stat.ino !== place.inode || stat.size < place.end)) {
      Object.assign(place, { inode: stat.ino, end: 0 })
      rest = ''
    }
    if (stat && stat.size > place.end) {
      const text = rest + readText(path, place.end, stat.size)
      place.end = stat.size
      const lines = text.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') yield line
    }
    await pause(signal)
  }
}

function readText(path: string, from: number, to: number): string {
  const file = opened(path)
  if (file === null) return ''
  try {
    return read(file, from, to).toString('utf8')
  } finally {
    closeSync(file)
  }
}

function opened(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

function read(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from)
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, LOOK_EVERY_MS)
    signal.addEventListener('abort', wake)
  })
}
