// E-9: chains on a schedule. Who keeps the queue starts them; a cycle that would overlap is skipped.
import { RepriseError } from '../errors.ts'
import type { Schedule, ScheduledChain } from '../store/store.ts'
import { findAgent } from './agents.ts'
import { checkChain, startChain } from './chains.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Parts } from './parts.ts'

const SHORTEST_MS = 1_000
const LOOK_MS = 1_000

export async function createSchedule(
  parts: Parts,
  { everyMs, ...wanted }: ScheduledChain & { readonly everyMs: number },
): Promise<Schedule> {
  if (!Number.isSafeInteger(everyMs) || everyMs < SHORTEST_MS) {
    const what = `a chain every ${everyMs} ms is no schedule`
    throw new RepriseError('bad-input', what, 'Give a second or more, such as 15m.')
  }
  const agent = await findAgent(parts, wanted.agent)
  const { workDir, prompt } = await checkChain(parts, requestOf(wanted), agent)
  const now = parts.clock.now()
  const schedule: Schedule = {
    ...wanted,
    workDir,
    prompt,
    id: parts.random.id('sch'),
    everyMs,
    nextAt: now,
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
    const due = await parts.store.takeDue(parts.clock.now())
    if (due === null || live.closing.aborted) return
    if (due.isBusy) continue
    const { schedule } = due
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
