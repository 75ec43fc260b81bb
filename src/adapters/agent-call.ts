// How another program calls the agent's executable, for an adapter behind which Reprise stands in the place of that executable.
import type { AgentEvent } from '../core/run/events.ts'

/** A session that the caller names by its id, or a new one. */
export type NamedSession =
  /** `sessionId`: the id that the caller chose; `null`: none. */
  | { readonly kind: 'new'; readonly sessionId: string | null }
  | { readonly kind: 'resume'; readonly sessionId: string }
  | { readonly kind: 'fork'; readonly from: string; readonly sessionId: string | null }

/** The session that the caller asks for. */
export type CalledSession =
  | NamedSession
  /** The latest one of the directory. `fork`: in a copy of it, with the id that the caller chose, if any. */
  | {
      readonly kind: 'latest'
      readonly fork: { readonly sessionId: string | null } | null
    }
  /** One by its title, its file or its pull request: the agent says which when it starts. */
  | { readonly kind: 'unnamed' }

/** What the caller asks the agent for. */
export type AgentCall =
  /** Help, a sub-command, or work that the caller does not want kept: nothing of it concerns Reprise. */
  | { readonly kind: 'other' }
  /** A person talks to the agent in a terminal. */
  | { readonly kind: 'terminal'; readonly session: CalledSession }
  | {
      readonly kind: 'print'
      readonly session: CalledSession
      readonly output: 'text' | 'json' | 'stream-json'
      readonly input: 'text' | 'stream-json'
      /** The words of the prompt among the arguments; text input follows them. */
      readonly prompt: string | null
      readonly model: string | null
      readonly permissionMode: string | null
      readonly allowedTools: readonly string[]
      readonly disallowedTools: readonly string[]
    }

export type PrintCall = Extract<AgentCall, { kind: 'print' }>

/** A call whose session is known before the agent starts. */
export type NamedCall = Omit<PrintCall, 'session'> & { readonly session: NamedSession }

/** Reads the output of the agent in the form that the caller asked for. */
export type CallReader = {
  /** One line of the output. */
  read(line: string): readonly AgentEvent[]
  /** The output is over. */
  end(): readonly AgentEvent[]
}

/** An agent in whose place Reprise can stand. Pure: it reads and makes arguments and lines. */
export type AgentCalls = {
  /** `toTerminal`: whether the output of the call is a terminal. */
  read(args: readonly string[], toTerminal: boolean): AgentCall
  /** The same call for a new session with this id. */
  withSessionId(args: readonly string[], sessionId: string): readonly string[]
  /** The same resume in a fork with this id. */
  withFork(args: readonly string[], sessionId: string): readonly string[]
  reader(output: PrintCall['output']): CallReader
  /** The user's text in a line of `stream-json` input; `null`: the line is something else. */
  promptIn(line: string): string | null
}
