// What an adapter needs to write a session for its agent, and what it wrote.
import type { Message } from '../core/conversation/messages.ts'

/** A conversation to be written as a session. */
export type SessionWriting = {
  readonly sessionId: string
  readonly workDir: string
  readonly version: string
  /** The model that the answers get. The agent goes on with the model of the last one. */
  readonly model: string
  readonly messages: readonly Message[]
  /** Most characters of all texts, inputs and results together. */
  readonly maxChars: number
  /** Long inputs and results of calls are shortened even where there is room for them. */
  readonly shortensOutputs: boolean
  readonly uuid: () => string
}

export type WrittenSession = {
  readonly text: string
  /** The agent's id of the last line of each message that was written; `null` for one that was left out. */
  readonly anchors: readonly (string | null)[]
  /** How many messages did not fit: the oldest ones. */
  readonly leftOut: number
}
