// The dialects of the fake agent that the scenarios run on. What the store does depends on none of them, so scenarios that run on
// PostgreSQL as well have one dialect there and the other one here.
import { isOnPostgres } from '../postgres/chosen-store.ts'
import type { Kind } from '../scenarios/harness/program.ts'

export const FAKE_KINDS: readonly Kind[] = ['fake', 'fake 2.1.197']

/** The dialect of scenarios that run on both databases. */
export const ONE_FAKE_KIND: Kind = isOnPostgres ? 'fake' : 'fake 2.1.197'
