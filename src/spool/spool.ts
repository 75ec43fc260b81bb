// Keeps the events of runs on disk while the database is away. Only a store that can be away has a spool.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { NewEvent } from '../core/run/stored-events.ts'
import { batchesIn, keepOut, RunSpool, type SpooledRun } from './run-spool.ts'

/** Events of one run on disk. */
const MAX_BYTES = 64 * 1024 * 1024
/** How long a write may take before events go to disk. */
const AFTER_MS = 1_000

export type SpoolOptions = { readonly maxBytes?: number; readonly afterMs?: number }

/** What a process left. */
export type LeftEvents = SpooledRun & {
  readonly events: readonly NewEvent[]
  /** They are in the store now. */
  remove(): void
  keepOut(reason: string): void
}

export type KeptOut = { readonly path: string; readonly reason: string }

export class Spool {
  readonly #directory: string
  readonly #maxBytes: number
  readonly afterMs: number

  constructor(directory: string, { maxBytes = MAX_BYTES, afterMs = AFTER_MS }: SpoolOptions = {}) {
    this.#directory = directory
    this.#maxBytes = maxBytes
    this.afterMs = afterMs
  }

  /** Throws if the disk takes nothing. */
  open(run: SpooledRun): RunSpool {
    return new RunSpool(this.#path(run.runId), run, this.#maxBytes)
  }

  /** What a process left of this run; `null`: nothing. */
  left(runId: string): LeftEvents | null {
    const path = this.#path(runId)
    const text = readIfThere(path)
    if (text === null) return null
    const end = text.indexOf('\n') + 1
    // The disk was full, or the process died, before anything of the run was in it.
    if (end === 0) return null
    // RunSpool wrote the first line, before any batch.
    const run = JSON.parse(text.slice(0, end)) as SpooledRun
    return {
      ...run,
      events: batchesIn(text.slice(end)),
      remove: () => rmSync(path, { force: true }),
      keepOut: reason => keepOut(path, reason),
    }
  }

  /** The runs of which something is on disk. */
  runs(): readonly string[] {
    return this.#files('.jsonl').map(name => name.slice(0, -'.jsonl'.length))
  }

  /** Events that were not stored because somebody else had taken over their run. */
  keptOut(): readonly KeptOut[] {
    return this.#files('.kept-out').map(name => {
      const path = join(this.#directory, name)
      const last = (readIfThere(path) ?? '').trimEnd().split('\n').at(-1) ?? ''
      return { path, reason: reasonIn(last) }
    })
  }

  #path(runId: string): string {
    return join(this.#directory, `${runId}.jsonl`)
  }

  #files(suffix: string): readonly string[] {
    try {
      return readdirSync(this.#directory).filter(name => name.endsWith(suffix))
    } catch {
      return [] // Nothing was ever kept here.
    }
  }
}

/** `keepOut` wrote the line, unless the disk took only a part of it. */
function reasonIn(line: string): string {
  try {
    return (JSON.parse(line) as { readonly keptOut: string }).keptOut
  } catch {
    return 'the file is damaged, so the reason is not known'
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
