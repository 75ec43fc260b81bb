// A session file that we wrote for a run.
import type { SessionMark } from '../../adapters/adapter.ts'
import type { Seen } from '../../core/conversation/session.ts'

/** What the new session holds before its first run. */
export type Written = {
  readonly seen: readonly Seen[]
  /** The model that the agent goes on with; `null`: that of the session that was copied. */
  readonly model: string | null
  readonly mark: SessionMark
  /** Removes the file of a run that does not start. */
  undo(): Promise<void>
}
