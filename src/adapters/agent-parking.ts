// A part of the contract of an adapter: calls that wait without a process.
import type { Answer, AskedCall } from '../core/conversation/question.ts'
import type { Deferral } from '../core/fence/deferral.ts'

/** A call of the agent can wait without a process until the session is resumed. */
export type AgentParking = {
  /** The stop reason of a session that waits at a call. */
  readonly stopReason: string
  /** Whether this version can park calls. */
  canPark(runtime: { readonly version: string; readonly quirks: readonly string[] }): boolean
  /** Writes the files that a process needs in order to park calls; gives their paths, for `parkFiles` of the run. */
  files(
    wish: ParkWish,
    keep: (text: string) => Promise<string>,
  ): Promise<Readonly<Record<string, string>>>
}

/** Which calls a run may park, and the answer that it brings to a parked one. */
export type ParkWish = {
  /** Questions to the user are parked, except the one that `reply` answers; `null`: the agent asks nobody. */
  readonly questions: { readonly reply: { asked: AskedCall; answer: Answer } | null } | null
  /** Calls that only the next tier may make. */
  readonly deferral: Deferral | null
}
