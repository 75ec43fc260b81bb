// Stores the events that waited on disk when the process of their run stopped or died while the database was away.

import { OPEN_STATUSES } from '../../core/run/run.ts'
import type { NewEvent, StoredEvent } from '../../core/run/stored-events.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Dependencies } from '../dependencies.ts'

const EVENTS_PER_PAGE = 1_000

/** Called under the lease of the process that ends the run. It stores each event once, in order, or keeps all of them out. */
export async function storeLeftEvents(
  { spool, store }: Dependencies,
  lease: Lease,
  runId: string,
): Promise<void> {
  const left = spool?.left(runId)
  if (!left) return
  // The holder itself, or the one who took over from it: in between, nobody has written events of this run.
  const isNext = lease.token - left.lease.token <= 1 && lease.threadId === left.lease.threadId
  if (!isNext) return left.keepOut('another process has taken over the run meanwhile')
  const rest = await notStored({ store }, runId, left.events)
  if (rest.length > 0) await store.appendEvents(lease, runId, rest)
  left.remove()
}

/** Keeps out what nobody can store any more: the process that wrote it is dead, and its run was ended elsewhere. */
export async function keepOutLeftEvents({ spool, store, isAlive }: Dependencies): Promise<void> {
  for (const runId of spool?.runs() ?? []) {
    const left = spool?.left(runId)
    if (!left || isAlive(left.lease.owner) !== false) continue
    const run = await store.run(runId)
    if (run !== null && OPEN_STATUSES.includes(run.status)) continue
    left.keepOut('the run was ended without them, by another process')
  }
}

/** The process may have died after it had stored some of them. Others may have stored events in between. */
async function notStored(
  { store }: Pick<Dependencies, 'store'>,
  runId: string,
  events: readonly NewEvent[],
): Promise<readonly NewEvent[]> {
  let found = 0
  let after = 0
  for (;;) {
    const page = await store.events(runId, after, EVENTS_PER_PAGE)
    for (const stored of page) {
      if (isSame(stored, events[found])) found += 1
      after = stored.seq
    }
    if (page.length < EVENTS_PER_PAGE) return events.slice(found)
  }
}

function isSame(stored: StoredEvent, event: NewEvent | undefined): boolean {
  return stored.at === event?.at && stored.type === event.type && stored.json === event.json
}
