// A thread as it is stored: one conversation, and what its turns have unless they say otherwise.

import type { Run } from '../run/run.ts'
import type { SandboxMode } from '../run/sandbox.ts'
import type { Trust } from '../run/trust.ts'
import type { View } from './messages.ts'

/** Whose conversation a thread is: a person's, or that of the tiers of a chain or the attempts of a job. */
export type ThreadKind = 'chat' | 'chain' | 'job'

/** A conversation as it is stored, without its messages. */
export type ThreadRecord = {
  readonly id: string
  readonly kind: ThreadKind
  readonly title: string | null
  /** The agent of a turn that names none. */
  readonly agent: string
  readonly workDir: string
  readonly view: View
  /** The thread that it was forked from. */
  readonly forkedFrom: string | null
  /** Text for the system prompt of its turns, until a turn brings another; `null`: none. */
  readonly instructions: string | null
  /** Whose settings take part in its turns, unless a turn says otherwise; `null`: as its agent is configured. */
  readonly trust: Trust | null
  /** What holds the processes of its turns, unless a turn says otherwise; `null`: as its agent is configured. */
  readonly sandbox: SandboxMode | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** A thread in a list, without its instructions, which may be long. */
export type ThreadSummary = Omit<ThreadRecord, 'instructions'> & {
  readonly turnCount: number
  readonly costUsd: number
  readonly lastRun: Run | null
}
