// What a test of the engine's contract is, and what such tests share.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery, Engine, Handled } from '../../engine/engine.ts'
import type { Store } from '../../store/contract/store.ts'

/** Workers on one store, for the tests of an engine. */
export type EngineWorld = {
  /** The store in whose transactions the engines enlist their work. */
  readonly store: Store
  /** Gives another worker on the same store. */
  engine(name?: string): Engine
  /** From now on this worker counts as dead, although its work may continue. */
  kill(name: string): void
  close(): Promise<void>
}

/** One test that every engine must pass. */
export type EngineCase = {
  readonly title: string
  readonly check: (world: EngineWorld) => Promise<void>
}

export const QUEUE = 'jobs'
export const DONE: Handled = { next: 'done' }

export function engineCase(title: string, check: EngineCase['check']): EngineCase {
  return { title, check }
}

export function note(seen: string[]) {
  return async ({ id }: Delivery): Promise<Handled> => {
    seen.push(id)
    return DONE
  }
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    if (await isSo()) return
    await sleep(10)
  }
  assert.fail('it did not happen within 20 s')
}
