// A thread as it is stored: one conversation, and what its turns have unless they say otherwise.

import type { Run } from '../run/run.ts'
import type { SandboxMode } from '../run/sandbox.ts'
import type { Trust } from '../run/trust.ts'
import type { View } from './messages.ts'

/** Whose conversation a thread is: a person's, or that of the tiers of a chain or the attempts of a job. */
export type ThreadKind = 'chat' | 'chain' | 'job'

export type ThreadRecord = {
  readonly id: string
  readonly kind: ThreadKind
  readonly title: string | null
  readonly agent: string
  readonly workDir: string
  readonly view: View
  readonly forkedFrom: string | null
  /** For the system prompt of its turns, until a turn brings others; `null`: none. */
  readonly instructions: string | null
  /** What its turns have unless they say otherwise; `null`: as its agent is configured. */
  readonly trust: Trust | null
  readonly sandbox: SandboxMode | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** In a list: without the instructions, which may be long. */
export type ThreadSummary = Omit<ThreadRecord, 'instructions'> & {
  readonly turnCount: number
  readonly costUsd: number
  readonly lastRun: Run | null
}
