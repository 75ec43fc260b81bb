// The dialects of the fake agent that the scenarios run on. What the store does depends on none of them, so PostgreSQL gets one.
import { isOnPostgres } from '../postgres/chosen-store.ts'
import type { Kind } from '../scenarios/harness/program.ts'

export const FAKE_KINDS: readonly Kind[] = isOnPostgres ? ['fake'] : ['fake', 'fake 2.1.197']
