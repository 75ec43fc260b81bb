// The one implementation of the store, built from its parts. It works on any database that has a dialect.

import type { StoreWithWork } from './contract/store.ts'
import type { Database } from './sql/dialect.ts'
import { eventVerbs } from './verbs/runs/events.ts'
import { leaseVerbs } from './verbs/runs/leases.ts'
import { queueVerbs } from './verbs/runs/queue.ts'
import { recoveryVerbs } from './verbs/runs/recovery.ts'
import { requestKeyVerbs } from './verbs/runs/request-keys.ts'
import { runEndVerbs } from './verbs/runs/run-end.ts'
import { runStartVerbs } from './verbs/runs/run-start.ts'
import { runWorkVerbs } from './verbs/runs/run-work.ts'
import { runVerbs } from './verbs/runs/runs.ts'
import { turnVerbs } from './verbs/runs/turns.ts'
import { usageVerbs } from './verbs/runs/usage.ts'
import { branchVerbs } from './verbs/threads/branches.ts'
import { idVerbs } from './verbs/threads/ids.ts'
import { pieceOwnerVerbs } from './verbs/threads/piece-owners.ts'
import { questionVerbs } from './verbs/threads/questions.ts'
import { sessionStateVerbs } from './verbs/threads/session-states.ts'
import { sessionVerbs } from './verbs/threads/sessions.ts'
import { threadContentVerbs } from './verbs/threads/thread-content.ts'
import { threadVerbs } from './verbs/threads/threads.ts'
import { versionVerbs } from './verbs/threads/versions.ts'
import { agentProbeVerbs } from './verbs/work/agent-probes.ts'
import { chainVerbs } from './verbs/work/chains.ts'
import { checkpointPlaceVerbs } from './verbs/work/checkpoint-places.ts'
import { dispatchVerbs } from './verbs/work/dispatches.ts'
import { jobVerbs } from './verbs/work/jobs.ts'
import { scheduleVerbs } from './verbs/work/schedules.ts'
import { workerVerbs } from './verbs/work/workers.ts'

export function sqlStore(database: Database): StoreWithWork {
  return {
    reach: database.dialect.reach,
    ...threadVerbs(database),
    ...branchVerbs(database),
    ...versionVerbs(database),
    ...threadContentVerbs(database),
    ...turnVerbs(database),
    ...queueVerbs(database),
    ...chainVerbs(database),
    ...scheduleVerbs(database),
    ...leaseVerbs(database),
    ...runStartVerbs(database),
    ...eventVerbs(database),
    ...runEndVerbs(database),
    ...questionVerbs(database),
    ...recoveryVerbs(database),
    ...runVerbs(database),
    ...runWorkVerbs(database),
    ...sessionVerbs(database),
    ...usageVerbs(database),
    ...agentProbeVerbs(database),
    ...requestKeyVerbs(database),
    ...dispatchVerbs(database),
    ...jobVerbs(database),
    ...workerVerbs(database),
    ...idVerbs(database),
    ...sessionStateVerbs(database),
    ...checkpointPlaceVerbs(database),
    ...pieceOwnerVerbs(database),
    async verify(options) {
      const { findViolations: verify } = await import('./verify.ts')
      return verify(database, options)
    },
    close: () => database.close(),
  }
}
