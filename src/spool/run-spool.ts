// The file of one run whose events wait on disk: a line about the run, then one line per batch of events. The calls are
// synchronous, so that batches cannot overtake each other; they happen only while the database is away.
import { closeSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { NewEvent } from '../core/run/stored-events.ts'
import type { Lease } from '../store/contract/leases.ts'

export type SpooledRun = { readonly runId: string; readonly lease: Lease }

/** What is read at once and stored in one transaction. */
const READ_BYTES = 1024 * 1024

export class RunSpool {
  readonly #path: string
  readonly #maxBytes: number
  readonly #file: number
  /** Where each batch that is not taken yet ends, in bytes. */
  readonly #ends: number[] = []
  #begin: number
  #size: number
  #read = 0

  /** Throws if the disk takes nothing. */
  constructor(path: string, run: SpooledRun, maxBytes: number) {
    this.#path = path
    this.#maxBytes = maxBytes
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // A run has one process, so a file that is there is left over from an earlier outage and was read.
    this.#file = openSync(path, 'w+', 0o600)
    this.#size = orClose(this.#file, file => writeSync(file, `${JSON.stringify(run)}\n`))
    this.#begin = this.#size
  }

  get isEmpty(): boolean {
    return this.#ends.length === 0
  }

  /** False when the batch does not fit any more, or the disk does not take it. */
  add(batch: readonly NewEvent[]): boolean {
    const line = Buffer.from(`${JSON.stringify(batch)}\n`)
    if (this.#size + line.length > this.#maxBytes) return false
    try {
      if (writeSync(this.#file, line, 0, line.length, this.#size) < line.length) return false
    } catch {
      return false // The next batch is written over what has been written of this one.
    }
    this.#size += line.length
    this.#ends.push(this.#size)
    return true
  }

  /** Gives the next batches as one; `null` when all are taken. */
  read(): readonly NewEvent[] | null {
    if (this.isEmpty) return null
    const further = this.#ends.findIndex(end => end - this.#begin > READ_BYTES)
    this.#read = further === -1 ? this.#ends.length : Math.max(1, further)
    const bytes = Buffer.alloc((this.#ends[this.#read - 1] ?? this.#begin) - this.#begin)
    readSync(this.#file, bytes, 0, bytes.length, this.#begin)
    return batchesIn(bytes.toString())
  }

  /** What was read last is in the store; before the first read: the first batch is. */
  taken(): void {
    const taken = this.#ends.splice(0, Math.max(1, this.#read))
    this.#begin = taken.at(-1) ?? this.#begin
    this.#read = 0
  }

  remove(): void {
    this.leave()
    rmSync(this.#path, { force: true })
  }

  /** The next process that ends the run finds the file. */
  leave(): void {
    closeSync(this.#file)
  }

  keepOut(reason: string): void {
    this.leave()
    keepOut(this.#path, reason)
  }
}

export function batchesIn(lines: string): readonly NewEvent[] {
  const whole = lines.slice(0, lines.lastIndexOf('\n') + 1)
  // RunSpool wrote the lines.
  return whole.split('\n').flatMap(line => (line === '' ? [] : (JSON.parse(line) as NewEvent[])))
}

/** Keeps events that must not be stored any more where a person can read them, with the reason in the last line. */
export function keepOut(path: string, reason: string): void {
  const file = openSync(path, 'a')
  orClose(file, () => writeSync(file, `${JSON.stringify({ keptOut: reason })}\n`))
  closeSync(file)
  renameSync(path, path.replace(/\.jsonl$/, '.kept-out'))
}

/** A disk that takes nothing must not cost a file descriptor at each try. */
function orClose(file: number, write: (file: number) => number): number {
  try {
    return write(file)
  } catch (error) {
    closeSync(file)
    throw error
  }
}
