// A thread as it is stored: one conversation, and the defaults of its turns.
import type { Carry } from '../chain/carry.ts'
import type { Decision } from '../decide/decision.ts'
import type { Optional } from '../optional.ts'
import type { Run, RunStatus } from '../run/run.ts'
import type { SandboxMode } from '../run/sandbox.ts'
import type { Trust } from '../run/trust.ts'
import type { Workspace } from '../run/workspace.ts'
import type { View } from './messages.ts'

/** Who owns a thread: a person, a chain (its tiers), or a job (its attempts). */
export type ThreadKind = 'chat' | 'chain' | 'job'

/** A conversation as it is stored, without its messages. */
export type ThreadRecord = {
  readonly id: string
  readonly kind: ThreadKind
  readonly title: string | null
  /** The agent of a turn that names none. */
  readonly agent: string
  /** For a repository: the work tree of the host that made one last. */
  readonly workDir: string
  /** The host whose path `workDir` is; `null`: any host, or not known. */
  readonly host: string | null
  /** The repository that each host checks out for itself; `null`: `workDir` is a directory of `host`. */
  readonly workspace: Workspace | null
  readonly view: View
  /** The thread that it was forked from. */
  readonly forkedFrom: string | null
  /** Text for the system prompt of its turns, until a turn brings another text; `null`: none. */
  readonly instructions: string | null
  /** Whose settings take part in its turns, unless a turn says otherwise; `null`: as its agent is configured. */
  readonly trust: Trust | null
  /** What holds the processes of its turns, unless a turn says otherwise; `null`: as its agent is configured. */
  readonly sandbox: SandboxMode | null
  /** What its turns get of the conversation, unless a turn says otherwise; absent: as `resume.carry` says. */
  readonly carry?: Carry
  readonly createdAt: number
  readonly updatedAt: number
  /** The file that brought it; absent: it began here. */
  readonly imported?: ThreadImport
}

/** Where an imported thread came from, and whether it may be continued. */
export type ThreadImport = {
  /** The thread's id in the store that it came from, as the file says. */
  readonly threadId: string
  /** Whose key signed the file: this store's own, one that the user named, somebody else's, or nobody's. */
  readonly signature: 'own' | 'trusted' | 'foreign' | 'none'
  /** The public key that signed the file. */
  readonly key: string | null
  readonly importedAt: number
  /** `null`: it is only data. Nobody can send to it or change it before a person approves it. */
  readonly approvedAt: number | null
}

/** True for a thread that is only data: it came in a file of somebody else, and nobody has approved it. */
export function isUnapproved({ imported }: Pick<ThreadRecord, 'imported'>): boolean {
  return imported !== undefined && imported.approvedAt === null
}

/** A thread in a list, without its instructions, which may be long. */
export type ThreadSummary = Omit<ThreadRecord, 'instructions'> & {
  readonly turnCount: number
  readonly costUsd: number
  /** What cold starts would have cost more, as an estimate. */
  readonly savedUsd: number
  readonly lastRun: Run | null
}

/** Which threads a list holds. A field that is left out does not filter. */
export type ThreadFilter = Optional<{
  /** Text in the title, in the directory or in a message; or the beginning of an id. */
  readonly text: string
  /** The agent of turns that name none. */
  readonly agent: string
  /** The directory of turns that name none, with links resolved. */
  readonly workDir: string
  /** Default: `chat`, the threads that people created. */
  readonly kind: ThreadKind
  /** The status of the last run. */
  readonly status: RunStatus
  /** What was decided for the last run. */
  readonly action: Decision['action']
  /** Only threads that were used at this time or later, in milliseconds since 1970. */
  readonly since: number
  /** Only threads that came in a file of somebody else and wait for a person who approves them. */
  readonly unapproved: true
}>
