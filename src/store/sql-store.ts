// The one implementation of the store, put together from its parts. It works on any database with a dialect.
import { branchVerbs } from './branches.ts'
import { chainVerbs } from './chains.ts'
import { checkpointPlaceVerbs } from './checkpoint-places.ts'
import type { Database } from './dialect.ts'
import { dispatchVerbs } from './dispatches.ts'
import { eventVerbs } from './events.ts'
import { jobVerbs } from './jobs.ts'
import { leaseVerbs } from './leases.ts'
import { lifecycleVerbs } from './lifecycle.ts'
import { questionVerbs } from './questions.ts'
import { queueVerbs } from './queue.ts'
import { recoveryVerbs } from './recovery.ts'
import { requestKeyVerbs } from './request-keys.ts'
import { runEndVerbs } from './run-end.ts'
import { runStartVerbs } from './run-start.ts'
import { runVerbs } from './runs.ts'
import { runtimeVerbs } from './runtimes.ts'
import { scheduleVerbs } from './schedules.ts'
import { sessionVerbs } from './sessions.ts'
import type { Store } from './store.ts'
import { threadVerbs } from './threads.ts'
import { turnVerbs } from './turns.ts'
import { usageVerbs } from './usage.ts'

export function sqlStore(database: Database): Store {
  return {
    ...threadVerbs(database),
    ...branchVerbs(database),
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
    ...sessionVerbs(database),
    ...usageVerbs(database),
    ...runtimeVerbs(database),
    ...requestKeyVerbs(database),
    ...dispatchVerbs(database),
    ...jobVerbs(database),
    ...lifecycleVerbs(database),
    ...checkpointPlaceVerbs(database),
    async verify() {
      const { verify } = await import('./verify.ts')
      return verify(database)
    },
    close: () => database.close(),
  }
}
