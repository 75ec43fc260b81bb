// The batches of events that wait to be written, in order: in memory, and on disk while the database is away.
import type { NewEvent } from '../../core/run/stored-events.ts'
import { RepriseError } from '../../errors.ts'
import type { RunSpool } from '../../spool/run-spool.ts'

export type Overflow = {
  /** How long a write may take before batches go to disk. */
  readonly afterMs: number
  open(): RunSpool
  /** Called once, when a batch could not be kept: the run has to end. */
  onFull(): void
}

type Batch = readonly NewEvent[]

export class Backlog {
  readonly #overflow: Overflow | null
  #inMemory: Batch[] = []
  #onDisk: RunSpool | null = null
  /** When the write that is under way began, by the monotonic clock. */
  #writingSince: number | null = null
  #lost = 0

  constructor(overflow: Overflow | null) {
    this.#overflow = overflow
  }

  /** How many events could not be kept. */
  get lost(): number {
    return this.#lost
  }

  add(batch: Batch): void {
    if (this.#onDisk !== null) {
      this.#keep(batch)
      return
    }
    this.#inMemory.push(batch)
    const { afterMs = Number.POSITIVE_INFINITY } = this.#overflow ?? {}
    const since = this.#writingSince
    if (since !== null && performance.now() - since > afterMs) this.#spill()
  }

  /** The batch to write next, which stays until `written`; `null`: none. */
  next(): Batch | null {
    const batch = this.#inMemory[0] ?? this.#onDisk?.read() ?? null
    this.#writingSince = batch && performance.now()
    return batch
  }

  written(): void {
    if (this.#inMemory.length > 0) this.#inMemory.shift()
    else this.#onDisk?.taken()
    if (this.#inMemory.length > 0 || !this.#onDisk?.isEmpty) return
    this.#onDisk.remove()
    this.#onDisk = null
  }

  /** Called when the store takes nothing for now. False where there is no place on disk. */
  waitOnDisk(): boolean {
    this.#spill()
    return this.#onDisk !== null
  }

  /** Called when nothing more can be written. What is on disk stays there, for the process that ends the run. */
  giveUp(error: unknown): void {
    const isTakenOver = error instanceof RepriseError && error.code === 'lease-lost'
    if (!isTakenOver) this.#spill()
    if (isTakenOver) this.#onDisk?.keepOut(error.message)
    else this.#onDisk?.leave()
    this.#onDisk = null
  }

  /** All that waits goes to disk. The first batch stays in memory as well: it is being written. */
  #spill(): void {
    const [first, ...others] = this.#inMemory
    if (this.#overflow === null || this.#onDisk !== null || first === undefined) return
    this.#inMemory = [first]
    try {
      this.#onDisk = this.#overflow.open()
    } catch {
      this.#lose(others)
      return
    }
    if (this.#onDisk.add(first)) this.#onDisk.taken()
    for (const batch of others) this.#keep(batch)
  }

  #keep(batch: Batch): void {
    // A gap is worse than a missing end: after the first loss nothing is kept.
    if (this.#lost > 0 || !this.#onDisk?.add(batch)) this.#lose([batch])
  }

  #lose(batches: readonly Batch[]): void {
    const isFirst = this.#lost === 0
    this.#lost += batches.flat().length
    if (isFirst && this.#lost > 0) this.#overflow?.onFull()
  }
}
