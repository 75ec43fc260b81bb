// What an agent said, in our words: adapters translate lines into these, everything else reads only these.

import type { Answer, AskedCall, QuestionState } from '../conversation/question.ts'

export type Usage = {
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
}

/** The agent asks the user. */
export type QuestionEvent = AskedCall & {
  readonly type: 'question'
  /** What an answer over the input of the process refers to; `null`: the call is parked, and the process ends. */
  readonly requestId: string | null
}

/** A question is closed. The process that closed it writes this event. */
export type AnswerEvent = {
  readonly type: 'answer'
  /** The call. */
  readonly id: string
  readonly state: Exclude<QuestionState, 'open'>
  readonly answer: Answer | null
}

/** A call waits for our word before it runs. It is answered at once, and not stored. */
export type CallAsked = {
  readonly type: 'call-asked'
  readonly requestId: string
  /** The call. */
  readonly id: string
  readonly name: string
  /** As JSON text, whole. */
  readonly input: string
}

export type AgentEvent = AgentSaid | CallAsked

/** What an agent says that is stored. */
export type AgentSaid =
  /** The agent named its session. Announced, not yet persisted. */
  | {
      readonly type: 'session'
      readonly sessionId: string
      readonly model: string | null
      readonly version: string | null
      readonly tools: readonly string[]
      readonly permissionMode: string | null
      /** MCP servers, sub-agents and plugins that take part; absent in what older versions have stored. */
      readonly servers?: readonly string[]
      readonly agents?: readonly string[]
      readonly plugins?: readonly string[]
    }
  /** A hook that is not ours has run: a program that settings have named. */
  | { readonly type: 'hook'; readonly name: string }
  /** Text of the main conversation, in pieces as it arrives. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  /** One block of the main conversation is complete; `anchor` is the agent's own id of it. */
  | { readonly type: 'block'; readonly anchor: string }
  | {
      readonly type: 'tool'
      readonly id: string
      readonly name: string
      readonly input: string
      /** The call that started the subagent which made this one; `null` in the main conversation. */
      readonly parentId: string | null
    }
  | {
      readonly type: 'tool-result'
      readonly id: string
      readonly isError: boolean
      /** Refused by permissions or because the tool is not available: it did not run. */
      readonly denied: boolean
      /** The run was being stopped, and the agent may report a call as rejected although it ran. */
      readonly outcomeUnknown?: true
      readonly text: string
    }
  /** What one model request used. Later events for the same request replace earlier ones. */
  | {
      readonly type: 'usage'
      readonly requestId: string
      readonly model: string
      readonly usage: Usage
      /** False for subagents: they do not fill the main context. */
      readonly main: boolean
    }
  /** The agent itself tries a failed model request again. */
  | {
      readonly type: 'retry'
      readonly attempt: number
      readonly maxAttempts: number
      readonly delayMs: number
      readonly status: number | null
      readonly error: string
    }
  | { readonly type: 'compacted'; readonly trigger: string; readonly tokensBefore: number | null }
  /** A usage limit of the account, with its reset time if the agent says it. */
  | { readonly type: 'limit'; readonly rejected: boolean; readonly resetsAt: number | null }
  /** Something the user should know, such as lost session writes. */
  | { readonly type: 'notice'; readonly code: string; readonly text: string }
  | QuestionEvent
  | AgentResult
  /** Kept and passed by: a type this adapter does not know, or a line that is no event. */
  | { readonly type: 'unknown'; readonly kind: string; readonly raw: string }

/** The agent's own last word on a turn. Several can come from one process; the first that answers our prompt counts. */
export type AgentResult = {
  readonly type: 'result'
  readonly ok: boolean
  /** The agent's own word for how it ended, e.g. `success`, `error_max_turns`. */
  readonly subtype: string
  readonly sessionId: string | null
  readonly text: string | null
  readonly errors: readonly string[]
  readonly apiErrorStatus: number | null
  /** The agent's machine-readable error class, where it gives one. */
  readonly errorKind: string | null
  readonly stopReason: string | null
  readonly terminalReason: string | null
  readonly turns: number
  readonly durationMs: number | null
  /** As reported; what it covers depends on the agent's version. */
  readonly totalCostUsd: number | null
  /** Per model, as reported: same scope as `totalCostUsd`. */
  readonly models: Readonly<Record<string, ModelUsage>>
  /** Per model since the last result of this process, where reported: exact for this turn. */
  readonly modelsSinceLastResult: Readonly<Record<string, ModelUsage>> | null
  /** Main loop of this turn only. */
  readonly usage: Usage
  /** How full its context is and how much fits, where the agent says so at the end of a turn. */
  readonly context?: { readonly tokens: number; readonly window: number }
  /** What fits the schema it was given, as parsed JSON; absent when it gave nothing. */
  readonly structured?: unknown
  /** The agent ended because it parked a call; absent: it did not. */
  readonly atParkedCall?: true
  /** Answers something the agent started by itself (a background task), not our prompt. */
  readonly unasked: boolean
}

export type ModelUsage = {
  readonly usage: Usage
  readonly costUsd: number
  readonly contextWindow: number | null
}
