// An imported thread in words: who signed its file, what it may do here, and which of its sessions cannot be resumed.
import type { ThreadImport } from './conversation/thread.ts'

/** Why a session of a thread file is not resumed here: its next turn brings the conversation itself. */
export const REPLAYED_BECAUSE = [
  'no-file',
  'no-such-agent',
  'agent-keeps-them',
  'not-whole',
  'other-version',
] as const

export type ReplayedSession = {
  readonly agent: string
  readonly because: (typeof REPLAYED_BECAUSE)[number]
}

export const SIGNED_WORDS: Readonly<Record<ThreadImport['signature'], string>> = {
  own: 'signed by this store',
  trusted: 'signed by the key that you trust',
  foreign: 'signed by a key that nobody here trusts',
  none: 'not signed',
}

const BECAUSE: Readonly<Record<ReplayedSession['because'], string>> = {
  'no-file': 'the file does not bring its session file',
  'no-such-agent': 'this store knows no agent of that name',
  'agent-keeps-them': 'only the agent itself can read its sessions, so they do not travel',
  'not-whole': 'its session file does not hold what the thread says',
  'other-version': 'this machine has another version of the agent, or none',
}

export function replayedWords({ agent, because }: ReplayedSession): string {
  return `the session of ${agent} will be replayed: ${BECAUSE[because]}`
}
