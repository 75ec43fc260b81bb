// For faults through the CLI: a data directory with the fake agent, its journal, its processes, and a look into the store.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Store } from '../../src/store/contract/store.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { readJournal } from '../../src/testing/fake-agent/executable.ts'
import type { JournalEntry } from '../../src/testing/fake-agent/journal.ts'
import { CliWorld } from '../e2e/cli/cli-world.ts'

export class FaultWorld extends CliWorld {
  readonly journalFile = this.path('journal')

  override get agentEnv(): Record<string, string> {
    return {
      ...super.agentEnv,
      FAKE_AGENT_JOURNAL: this.journalFile,
      NODE_COMPILE_CACHE: this.path('compile-cache'),
    }
  }

  journal(): Promise<readonly JournalEntry[]> {
    return readJournal(this.journalFile)
  }

  async look<T>(use: (store: Store) => Promise<T>): Promise<T> {
    const store = await sqlite(this.storeFile)()
    try {
      return await use(store)
    } finally {
      await store.close()
    }
  }

  /** Nothing is wrong in the store, and nothing is left open (I9). */
  async expectHealthy(): Promise<void> {
    await this.look(async store => {
      expect(await store.openRuns()).toEqual([])
      expect(await store.verify()).toEqual([])
    })
  }

  /** Processes that belong to a run of this world, wherever they moved. */
  processes(): readonly number[] {
    return processesWith(`FAKE_AGENT_JOURNAL=${this.journalFile}`)
  }
}

/** Processes of runs that have this entry in their environment. */
export function processesWith(entry: string): readonly number[] {
  const isOurs = (environment: readonly string[]) =>
    environment.includes(entry) && environment.some(other => other.startsWith('REPRISE_RUN_ID='))
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => isOurs(environmentOf(pid)))
    .map(Number)
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    // It ended between the list and the look.
    return []
  }
}

/** Asks until it is so; gives how long that took. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<number> {
  const startedMs = performance.now()
  for (;;) {
    const isThere = await isSo()
    const waitedMs = performance.now() - startedMs
    if (isThere) return waitedMs
    if (waitedMs > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`)
    await sleep(10)
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
