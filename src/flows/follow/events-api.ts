// The verbs for events that users call: list them, follow a run, a turn or a job, read the stored log.
import type { LocalReprise, Reprise } from '../../api.ts'
import type { Run } from '../../core/run/run.ts'
import type { EventPlace, RunEvent } from '../../core/run/run-events.ts'
import { runEventOf, type StoredEvent } from '../../core/run/stored-events.ts'
import type { Dependencies } from '../dependencies.ts'
import { followStoredJob, jobRuns } from './job-events.ts'
import { followStoredTurn } from './turn-events.ts'

type EventSurroundings = {
  readonly ready: () => Promise<Dependencies>
  /** Throws `not-found`. */
  readonly runOf: (id: string) => Promise<Run>
}

export type EventsApi = Pick<Reprise['runs'], 'events' | 'follow'> &
  Pick<LocalReprise, 'turns' | 'log'> & { readonly followJob: Reprise['jobs']['follow'] }

export function eventsApi({ ready, runOf }: EventSurroundings): EventsApi {
  const ofRun = async (id: string, after: number, limit: number) => {
    await runOf(id)
    return (await ready()).store.events(id, after, limit)
  }
  async function* followRun(id: string, after: number, signal?: AbortSignal) {
    await runOf(id)
    yield* (await ready()).log.followRun(id, { after, signal })
  }
  async function* followTurn(place: EventPlace, signal?: AbortSignal) {
    await runOf(place.runId)
    yield* followStoredTurn((await ready()).log, place, { signal })
  }
  async function* followJob(id: string, after: EventPlace | null, signal?: AbortSignal) {
    yield* followStoredJob(await ready(), id, { after, signal })
  }
  return {
    events: async (id, after = 0, limit = 10_000) =>
      (await ofRun(id, after, limit)).map(runEventOf),
    follow: (id, { after = 0, signal } = {}) => parsed(followRun(id, after, signal)),
    turns: {
      follow: (runId, { after = { runId, seq: 0 }, signal } = {}) =>
        parsed(followTurn(after, signal)),
    },
    followJob: (id, { after = null, signal } = {}) => parsed(followJob(id, after, signal)),
    log: {
      ofRun,
      followRun,
      followTurn,
      followJob,
      runsOfJob: async id => jobRuns(await ready(), id),
      ofAll: async (after, limit) => (await ready()).store.feed(after, limit),
      async *followAll(after, signal) {
        yield* (await ready()).log.followAll(after, signal)
      },
      lastPosition: async () => (await ready()).store.lastPosition(),
      lastChange: async () => (await ready()).store.lastChange(),
      changeBefore: async position => changeBefore(await ready(), position),
    },
  }
}

/** Changes have no place among events, so their times are compared, and a little more is given rather than less. */
const CHANGE_SLACK_MS = 60_000

async function changeBefore({ store }: Dependencies, position: number): Promise<number> {
  const [event] = position === 0 ? [] : await store.feed(position - 1, 1)
  return event === undefined ? 0 : store.changeBefore(event.at - CHANGE_SLACK_MS)
}

async function* parsed(events: AsyncIterable<StoredEvent>): AsyncGenerator<RunEvent, void> {
  for await (const event of events) yield runEventOf(event)
}
