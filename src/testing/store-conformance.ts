// Tests that every store must pass. Call them in a vitest file of your own with a function that opens an empty store.
import type { StoreWithWork } from '../store/contract/store.ts'
import { CHAIN_CASES } from './store-conformance/chain-cases.ts'
import { CHAIN_LIST_CASES } from './store-conformance/chain-list-cases.ts'
import { DETAIL_CASES } from './store-conformance/detail-cases.ts'
import { EVENT_CASES } from './store-conformance/event-cases.ts'
import { FEED_CASES } from './store-conformance/feed-cases.ts'
import { JOB_CASES } from './store-conformance/job-cases.ts'
import { NEXT_RUN_CASES } from './store-conformance/next-run-cases.ts'
import { PIECE_CASES } from './store-conformance/piece-cases.ts'
import { QUESTION_CASES } from './store-conformance/question-cases.ts'
import { QUESTION_LIST_CASES } from './store-conformance/question-list-cases.ts'
import { RECORD_CASES } from './store-conformance/record-cases.ts'
import { THREAD_CASES } from './store-conformance/thread-cases.ts'
import { TRACE_CASES } from './store-conformance/trace-cases.ts'
import { TURN_CASES } from './store-conformance/turn-cases.ts'
import { WORK_CASES } from './store-conformance/work-cases.ts'
import { WORKER_CASES } from './store-conformance/worker-cases.ts'
import { WORKSPACE_CASES } from './store-conformance/workspace-cases.ts'

/** The tests of `storeConformance`, for other test runners. */
export const STORE_CASES = [
  ...THREAD_CASES,
  ...TURN_CASES,
  ...NEXT_RUN_CASES,
  ...RECORD_CASES,
  ...QUESTION_CASES,
  ...QUESTION_LIST_CASES,
  ...EVENT_CASES,
  ...FEED_CASES,
  ...CHAIN_CASES,
  ...CHAIN_LIST_CASES,
  ...JOB_CASES,
  ...WORK_CASES,
  ...WORKSPACE_CASES,
  ...WORKER_CASES,
  ...DETAIL_CASES,
  ...PIECE_CASES,
  ...TRACE_CASES,
]

/**
 * Defines the tests that every store must pass. `open` returns a new, empty store each time. Await it: it loads vitest.
 *
 * @example
 * ```ts
 * await storeConformance('mine', () => sqlite(':memory:')())
 * ```
 */
export async function storeConformance(
  name: string,
  open: () => Promise<StoreWithWork>,
): Promise<void> {
  const { describe, test } = await import('vitest')
  describe(`store: ${name}`, () => {
    for (const { title, check } of STORE_CASES) {
      test(title, async () => {
        const store = await open()
        try {
          await check(store)
        } finally {
          await store.close()
        }
      })
    }
  })
}
