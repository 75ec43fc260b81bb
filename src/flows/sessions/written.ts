// A session file that we wrote for a run.
import type { SessionMark } from '../../adapters/adapter.ts'
import type { Seen } from '../../core/conversation/session.ts'

/** What the new session holds before its first run. */
export type Written = {
  readonly seen: readonly Seen[]
  readonly mark: SessionMark
  /** Removes the file of a run that does not start. */
  undo(): Promise<void>
}
