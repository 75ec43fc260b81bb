// What a query is asked with, and whom.
import type { Reprise } from '../api.ts'
import type { SandboxMode } from '../core/run/sandbox.ts'
import type { Trust } from '../core/run/trust.ts'
import type { HistoryMessage } from './conversation-history.ts'

export type ExecuteOptions = {
  readonly prompt: string
  readonly cwd: string
  readonly agent?: string
  readonly model?: string
  readonly systemPrompt?: string
  readonly permissionMode?: string
  readonly allowedTools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  /** Whose settings take part, and what holds the processes; default: as the agent is configured. */
  readonly trust?: Trust
  readonly sandbox?: SandboxMode
  /** Model requests in all, over however many runs; 20 when nothing is said. */
  readonly maxTurns?: number
  /** Continued only together with a history that is not empty, and from the point up to which both are the same. */
  readonly sdkSessionId?: string
  readonly conversationHistory?: readonly HistoryMessage[]
  /** Its abort ends the query with a result of class `cancelled`. */
  readonly signal?: AbortSignal
}

/** What a query needs of a Reprise: one of this process, or one that a daemon keeps. */
export type QueryHost = Pick<Reprise, 'threads' | 'runs' | 'adopt'>
