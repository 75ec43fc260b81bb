// The engine for many machines: pg-boss on the database of the store. It is loaded and opened when work is first touched.
import { createHash } from 'node:crypto'
import type { WorkDatabase, WorkVerbs } from '../../store/contract/work.ts'
import { ENGINE_TIMING, type EngineTiming } from '../consumer.ts'
import type { Engine } from '../engine.ts'
import { createWorkEngine, type EngineParts } from '../work-engine.ts'
import { WORK_SCHEMA } from './statements.ts'

export const PG_BOSS_TIMING: EngineTiming = {
  ...ENGINE_TIMING,
  // A notification comes first; this is the net below it.
  pollMs: 1_000,
  pausedLoses: true,
}

/** Where pg-boss notifies that work was stored; it says the queue. */
const CHANNEL = `pgboss_${createHash('sha224').update(WORK_SCHEMA).digest('hex').slice(0, 24)}`

export function createPgBossEngine(
  database: WorkDatabase,
  parts: EngineParts,
  timing = PG_BOSS_TIMING,
): Engine {
  let opened: ReturnType<typeof open> | null = null
  const ready = () => {
    opened ??= open(database, timing)
    // The next use tries again.
    opened.catch(() => {
      opened = null
    })
    return opened
  }
  const kept: WorkVerbs = {
    enqueueWork: async (...work) => (await ready()).kept.enqueueWork(...work),
    dequeueWork: async taking => (await ready()).kept.dequeueWork(taking),
    dequeueMany: async taking => (await ready()).kept.dequeueMany?.(taking) ?? [],
    beatWork: async (...work) => (await ready()).kept.beatWork(...work),
    endWork: async (...work) => (await ready()).kept.endWork(...work),
    workInHands: async queue => (await ready()).kept.workInHands(queue),
    nextWorkAt: async (...asked) => (await ready()).kept.nextWorkAt(...asked),
    waitingLanes: async queue => (await ready()).kept.waitingLanes(queue),
    cancelWork: async (...work) => (await ready()).kept.cancelWork(...work),
    deadWork: async (...asked) => (await ready()).kept.deadWork(...asked),
    liveWork: async (...asked) => (await ready()).kept.liveWork(...asked),
    failedWork: async (...asked) => (await ready()).kept.failedWork(...asked),
  }
  return createWorkEngine(
    {
      kept,
      inside: ({ run }) => ({
        enqueueWork: async (...work) => (await ready()).inside(run).enqueueWork(...work),
        cancelWork: async (...work) => (await ready()).inside(run).cancelWork(...work),
      }),
      listen: listener => database.listen(CHANNEL, listener),
    },
    parts,
    timing,
  )
}

async function open(database: WorkDatabase, timing: EngineTiming) {
  const [{ openBoss }, { bossWork, cancelIn, enqueueIn }] = await Promise.all([
    import('./open-boss.ts'),
    import('./boss-work.ts'),
  ])
  const boss = await openBoss(database, {
    heartbeatSeconds: Math.max(10, Math.ceil(timing.beatMs / 1_000)),
    retrySeconds: Math.floor(timing.retryMs / 1_000),
    maxRetrySeconds: Math.ceil(timing.maxRetryMs / 1_000),
  })
  return {
    kept: bossWork(database, boss),
    inside: (
      run: Parameters<typeof cancelIn>[0],
    ): Pick<WorkVerbs, 'enqueueWork' | 'cancelWork'> => ({
      enqueueWork: (work, now) => enqueueIn({ run, boss }, work, now),
      cancelWork: (queue, id) => cancelIn(run, queue, id),
    }),
  }
}
