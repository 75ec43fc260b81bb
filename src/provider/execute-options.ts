// The options of a query, and what it needs of Reprise.
import type { Reprise } from '../api.ts'
import type { PermissionMode } from '../core/run/permission-mode.ts'
import type { SandboxMode } from '../core/run/sandbox.ts'
import type { Trust } from '../core/run/trust.ts'
import type { HistoryMessage } from './conversation-history.ts'

/** The options of a query. */
export type ExecuteOptions = {
  readonly prompt: string
  /** The directory in which the agent works. */
  readonly cwd: string
  /** Default: the default agent. */
  readonly agent?: string | undefined
  /** Default: the one in the config of the agent, else that of the session which continues, else the agent chooses. */
  readonly model?: string | undefined
  /** Text that is added to the system prompt of the agent. */
  readonly systemPrompt?: string | undefined
  /** The permission mode, by the agent's own name for it; default: as the agent is configured. */
  readonly permissionMode?: PermissionMode | undefined
  /** Tools that the agent may use without asking, as rules in its own words. */
  readonly allowedTools?: readonly string[] | undefined
  /** Tools that the agent may not use, as rules in its own words. */
  readonly disallowedTools?: readonly string[] | undefined
  /** Whose settings take part; default: as the agent is configured. */
  readonly trust?: Trust | undefined
  /** The sandbox around the processes; default: as the agent is configured. */
  readonly sandbox?: SandboxMode | undefined
  /** Most model requests over all runs of the query; default: 20. */
  readonly maxTurns?: number | undefined
  /** The session to continue. It needs a history; the query continues after the last message that both share. */
  readonly sdkSessionId?: string | undefined
  /** The conversation so far, as the caller knows it. */
  readonly conversationHistory?: readonly HistoryMessage[] | undefined
  /** Aborting it ends the query with a result of class `cancelled`. */
  readonly signal?: AbortSignal | undefined
}

/** What a query needs of a Reprise, in this process or behind a daemon. */
export type QueryHost = Pick<Reprise, 'threads' | 'runs' | 'adopt'>
