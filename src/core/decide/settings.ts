// Resume settings: what a user can set about how runs continue. The record of every run holds the effective values.

import type { Carry } from '../chain/carry.ts'

/** What a user can set about how runs continue. Every run records the settings that it used. */
export type ResumeSettings = {
  /** `never`: every turn begins a new session with the conversation. */
  readonly mode: 'auto' | 'never'
  /** Over this share of the model's window, a session is too full to be resumed. */
  readonly contextThreshold: number
  /** When the work dir has changed: begin a new session with the conversation, or continue the session in the new place. */
  readonly onWorkDirChange: 'replay' | 'relocate'
  /** After this many resumes in a row without a new saved answer, the session is not resumed any more. */
  readonly maxFruitlessResumes: number
  /** Older sessions are not resumed; `null`: no limit. */
  readonly maxSessionAgeMs: number | null
  /** What an unknown fact means: begin a new session with the conversation, or trust the session. */
  readonly whenUnknown: 'replay' | 'resume'
  /**
   * How a conversation is brought into a new session: as a session file that Reprise writes, where the agent takes one
   * (default), or always as a transcript in front of the prompt.
   */
  readonly replay: 'native' | 'prompt'
  /** Whether a continued session reads first what changed since it was last used: work dir, tools, its own program; default: `off`. */
  readonly drift?: 'tell' | 'off'
  /**
   * What a turn or an attempt gets of the conversation: its session as it is (default; of a session that we write, with long outputs cut), a copy of it with long outputs cut, a note in a
   * new session, or what is expected to cost less and loses nothing. A session that a warm prompt cache holds is cut only where the turn itself asks.
   */
  readonly carry?: Carry
}

export const DEFAULT_RESUME: ResumeSettings = {
  mode: 'auto',
  contextThreshold: 0.8,
  onWorkDirChange: 'replay',
  maxFruitlessResumes: 3,
  maxSessionAgeMs: null,
  whenUnknown: 'replay',
  replay: 'native',
}

/** What a project may set for itself: never what is executed. */
export type ProjectSettings = {
  readonly resume: Partial<ResumeSettings>
  /** Name of an agent → its model. */
  readonly models: Readonly<Record<string, string>>
}

/** The environment wins over files. `problem` names a value that is not a number between 0 and 1. */
export function settingsFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): { readonly settings: Partial<ResumeSettings> } | { readonly problem: string } {
  const name = THRESHOLD_VARIABLES.find(variable => env[variable])
  if (!name) return { settings: {} }
  const contextThreshold = Number(env[name])
  const isShare = contextThreshold > 0 && contextThreshold <= 1
  if (!isShare) return { problem: `${name} is "${env[name]}", not a number over 0 and up to 1` }
  return { settings: { contextThreshold } }
}

const THRESHOLD_VARIABLES = [
  'REPRISE_RESUME_CONTEXT_THRESHOLD',
  'CLAUDEOPS_RESUME_CONTEXT_THRESHOLD',
]
