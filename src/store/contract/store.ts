// The contract of the store: verbs of the domain, one file per subject. When a verb has answered, its result is on disk.
import type { VerifyOptions, Violation } from '../../core/violation.ts'
import type { AgentProbeVerbs } from './agent-probes.ts'
import type { ChainVerbs } from './chains.ts'
import type { CheckpointPlaceVerbs } from './checkpoint-places.ts'
import type { EventVerbs } from './events.ts'
import type { IdVerbs } from './ids.ts'
import type { JobVerbs } from './jobs.ts'
import type { LeaseVerbs } from './leases.ts'
import type { QuestionVerbs } from './questions.ts'
import type { QueueVerbs, RecoveryVerbs, TurnVerbs } from './queue.ts'
import type { RunStepVerbs, RunVerbs } from './runs.ts'
import type { ScheduleVerbs } from './schedules.ts'
import type { SessionStateVerbs, SessionVerbs } from './sessions.ts'
import type { BranchVerbs, ThreadVerbs, VersionVerbs } from './threads.ts'
import type { WorkVerbs } from './work.ts'

/** Where threads, runs, events and sessions are written. When a verb has answered, its result is on disk. */
export type Store = ThreadVerbs &
  BranchVerbs &
  VersionVerbs &
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
  IdVerbs &
  CheckpointPlaceVerbs &
  AgentProbeVerbs & {
    /** Checks the promises of the store and its structure. An empty list means that the store is healthy. */
    verify(options?: VerifyOptions): Promise<readonly Violation[]>
    /**
     * Calls the listener when any process may have stored something, until the returned function is called. A store whose
     * database cannot tell has no such verb; readers look regularly in any case.
     */
    listen?(listener: () => void): () => void
    close(): Promise<void>
  }

/** A store that also holds the work of the engine of one machine. Only that engine uses these verbs. */
export type StoreWithWork = Store & WorkVerbs

/** Opens a store. Reprise calls it once and closes the store at its end. */
export type OpenStore = () => Promise<StoreWithWork>
