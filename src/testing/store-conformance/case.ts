// One test of the store's contract. It uses only the contract, so it fits every store.
import assert from 'node:assert/strict'
import { type ErrorCode, RepriseError } from '../../errors.ts'
import type { StoreWithWork } from '../../store/contract/store.ts'

export type StoreCase = {
  readonly title: string
  readonly check: (store: StoreWithWork) => Promise<void>
}

export const storeCase = (title: string, check: StoreCase['check']): StoreCase => ({ title, check })

/** `words` must be in the message, where they say something that the code does not. */
export async function refusesWith(
  code: ErrorCode,
  ask: () => Promise<unknown>,
  words = '',
): Promise<void> {
  await assert.rejects(ask, error => {
    assert.ok(error instanceof RepriseError, `expected ${code}, got ${String(error)}`)
    assert.equal(error.code, code)
    assert.notEqual(error.message, '')
    assert.notEqual(error.hint, '')
    assert.ok(error.message.includes(words), `“${error.message}” does not say “${words}”`)
    return true
  })
}
