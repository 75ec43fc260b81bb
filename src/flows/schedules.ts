// E-9: chains on a schedule. Who keeps the queue starts them; a cycle that would overlap is skipped.
import type { RecurrenceRequest } from '../api.ts'
import type { Schedule, ScheduledChain } from '../store/store.ts'
import { findAgent } from './agents.ts'
import { checkChain, startChain } from './chains.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Parts } from './parts.ts'
import { checkedRecurrence, firstTime, nextTime } from './recurrence.ts'

const LOOK_MS = 1_000

export async function createSchedule(
  parts: Parts,
  { recurrence: asked, ...wanted }: ScheduledChain & { readonly recurrence: RecurrenceRequest },
): Promise<Schedule> {
  const recurrence = await checkedRecurrence(asked)
  const agent = await findAgent(parts, wanted.agent)
  const { workDir, prompt } = await checkChain(parts, requestOf(wanted), agent)
  const now = parts.clock.now()
  const schedule: Schedule = {
    ...wanted,
    workDir,
    prompt,
    id: parts.random.id('sch'),
    recurrence,
    nextAt: await firstTime(recurrence, now),
    lastChainId: null,
    skipped: 0,
    lastSkippedAt: null,
    createdAt: now,
  }
  await parts.store.createSchedule(schedule)
  return schedule
}

/** Until this process closes. What cannot be started now, is tried at its next time. */
export async function runSchedules(parts: Parts, live: LiveRuns): Promise<void> {
  while (!live.closing.aborted) {
    await startDue(parts, live).catch(() => {
      // The store cannot be written right now: the next look may.
    })
    await parts.clock.sleep(LOOK_MS, live.closing)
  }
}

async function startDue(parts: Parts, live: LiveRuns): Promise<void> {
  for (;;) {
    const now = parts.clock.now()
    const schedule = await parts.store.dueSchedule(now)
    if (schedule === null || live.closing.aborted) return
    // Times that were missed while nobody was there are one cycle, not many.
    const nextAt = await nextTime(schedule.recurrence, { lastAt: schedule.nextAt, now })
    const taken = await parts.store.takeCycle(schedule, { nextAt, now })
    if (taken === null || taken.isBusy) continue
    const request = { ...requestOf(schedule), scheduleId: schedule.id }
    const signal = new AbortController().signal
    const stored = Promise.withResolvers<void>()
    const control = { emit: () => {}, submitted: () => stored.resolve(), signal }
    live
      .during(() => startChain(parts, live, { request, control }))
      .catch(() => {
        // Nobody waits for it here: how it ended is in its record.
      })
      .finally(() => stored.resolve())
    // The next look must see it running.
    await stored.promise
  }
}

function requestOf({ maxTier, budgetUsd, ...chain }: ScheduledChain) {
  const { policy, prompt, workDir, agent, dryRun } = chain
  return {
    ...{ policy, prompt, workDir, agent, dryRun },
    ...(maxTier !== null && { maxTier }),
    ...(budgetUsd !== null && { budgetUsd }),
  }
}
