// How versions of Claude Code differ. Each row was found by running the versions around it.
import { isAtLeast } from '../versions.ts'

export type QuirkName =
  | 'cost-of-session'
  | 'cost-since-last-result'
  | 'instructions-ignored-on-resume'
  | 'long-window-lost-on-resume'
  | 'session-bound-to-work-dir'
  | 'prompt-scanned'
  | 'tool-survives-term'
  | 'dangling-tool-dropped'
  | 'auto-permission-default'
  | 'usual-windows'

export type Quirk = {
  readonly name: QuirkName
  /** The first version with the quirk; `null`: all known earlier versions have it. */
  readonly since: string | null
  /** First version without it; `null`: still there. */
  readonly until: string | null
  readonly what: string
}

/** The oldest and the newest version the adapter is tested with. */
export const TESTED = { oldest: '2.1.197', newest: '2.1.327' } as const

export const QUIRKS: readonly Quirk[] = [
  {
    name: 'cost-of-session',
    since: '2.1.277',
    until: null,
    what: 'total cost and model usage of a resumed or forked run continue from what the session file saved',
  },
  {
    name: 'cost-since-last-result',
    since: '2.1.309',
    until: null,
    what: 'a result holds what was used since the one before it',
  },
  {
    name: 'instructions-ignored-on-resume',
    since: '2.1.269',
    until: null,
    what: 'system-prompt flags do nothing on a resume or a fork without --system-prompt-snapshot off: the session keeps its first ones',
  },
  {
    name: 'long-window-lost-on-resume',
    since: null,
    until: '2.1.271',
    what: 'a resume without --model forgets the [1m] of the model',
  },
  {
    name: 'session-bound-to-work-dir',
    since: null,
    until: '2.1.223',
    what: 'a session is found only from the work dir it was born in',
  },
  {
    name: 'prompt-scanned',
    since: null,
    until: '2.1.248',
    what: 'client_composed is not known: the last text block is searched for /commands and @files',
  },
  {
    name: 'tool-survives-term',
    since: null,
    until: '2.1.212',
    what: 'a running Bash tool outlives the agent that got SIGTERM',
  },
  {
    name: 'dangling-tool-dropped',
    since: null,
    until: '2.1.281',
    what: 'a call without a result is silently left out when the session is resumed',
  },
  {
    name: 'auto-permission-default',
    since: '2.1.285',
    until: '2.1.309',
    what: 'without --permission-mode the mode is auto',
  },
  {
    name: 'usual-windows',
    since: null,
    // Versions between the two tested ones were not run. A window that is too small costs a note; one that is too large costs a failed run.
    until: '2.1.325',
    what: 'every model has a window of 200,000 tokens unless its name ends with [1m]',
  },
]

export function quirksOf(version: string): readonly QuirkName[] {
  return QUIRKS.filter(quirk => isInForce(quirk, version)).map(quirk => quirk.name)
}

function isInForce({ since, until }: Quirk, version: string): boolean {
  if (since !== null && !isAtLeast(version, since)) return false
  return until === null || !isAtLeast(version, until)
}

/** Whether the version is between the oldest and the newest that the adapter is tested with. */
export function isTested(version: string): boolean {
  return isAtLeast(version, TESTED.oldest) && isAtLeast(TESTED.newest, version)
}
