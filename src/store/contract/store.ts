// The contract of the store: verbs of the domain, one file per subject. When a verb has answered, its result is on disk.
import type { VerifyOptions, Violation } from '../../core/violation.ts'
import type { AgentProbeVerbs } from './agent-probes.ts'
import type { ChainVerbs } from './chains.ts'
import type { CheckpointPlaceVerbs } from './checkpoint-places.ts'
import type { EventVerbs } from './events.ts'
import type { IdVerbs } from './ids.ts'
import type { JobVerbs } from './jobs.ts'
import type { LeaseVerbs } from './leases.ts'
import type { PieceOwnerVerbs, PieceStore } from './pieces.ts'
import type { QuestionVerbs } from './questions.ts'
import type { QueueVerbs, RecoveryVerbs, TurnVerbs } from './queue.ts'
import type { RunStepVerbs, RunVerbs } from './runs.ts'
import type { ScheduleVerbs } from './schedules.ts'
import type { SessionStateVerbs, SessionVerbs } from './sessions.ts'
import type { ThreadContentVerbs } from './thread-content.ts'
import type { BranchVerbs, ThreadVerbs, VersionVerbs } from './threads.ts'
import type { WorkDatabase, WorkVerbs } from './work.ts'
import type { WorkerVerbs } from './workers.ts'

/** A store of one host binds nothing to a host: the name of a machine may change, and its directories stay the same. */
export type Reach = 'one-host' | 'hosts'

/** Where threads, runs, events and sessions are written. When a verb has answered, its result is on disk. */
export type Store = ThreadVerbs &
  BranchVerbs &
  VersionVerbs &
  ThreadContentVerbs &
  TurnVerbs &
  QueueVerbs &
  LeaseVerbs &
  RecoveryVerbs &
  RunStepVerbs &
  RunVerbs &
  EventVerbs &
  QuestionVerbs &
  SessionVerbs &
  SessionStateVerbs &
  ChainVerbs &
  ScheduleVerbs &
  JobVerbs &
  WorkerVerbs &
  IdVerbs &
  CheckpointPlaceVerbs &
  PieceOwnerVerbs &
  AgentProbeVerbs & {
    /** Who can use it: processes of one host, or of several. */
    readonly reach: Reach
    /** Checks the promises of the store and its structure. An empty list means that the store is healthy. */
    verify(options?: VerifyOptions): Promise<readonly Violation[]>
    /**
     * Calls the listener when any process may have stored something, until the returned function is called. A store whose
     * database cannot tell has no such verb; readers look regularly in any case.
     */
    listen?(listener: () => void): () => void
    /** Only where the database can be away while this process goes on: a server on a network. */
    readonly presence?: Presence
    /** Where the vault keeps its pieces, when the processes of this store share no disk; without it: in the data directory. */
    readonly pieces?: PieceStore
    /** A store on a server has it: the engine keeps its work in the same database. It is closed with the store. */
    workDatabase?(): WorkDatabase
    close(): Promise<void>
  }

/** Whether a database answers, and a way to wait for it. */
export type Presence = {
  /** When the database stopped answering, in milliseconds since 1970 by the clock of this process; `null` while it answers. */
  awaySince(): number | null
  /** Gives the same store with more patience: until the signal aborts, its verbs wait for a database that is away. */
  waiting(signal: AbortSignal): Store
}

/** A store that also holds the work of the engine of one machine. Only that engine uses these verbs. */
export type StoreWithWork = Store & WorkVerbs

/** Opens a store. Reprise calls it once and closes the store at its end. */
export type OpenStore = () => Promise<StoreWithWork>
