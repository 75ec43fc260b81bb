// Chains on a schedule. Who keeps the queue starts them; a cycle that would overlap is skipped.
import type { RecurrenceRequest, Reprise } from '../../api.ts'
import { withSandbox } from '../../core/chain/policy.ts'
import type { Schedule, ScheduledChain } from '../../core/chain/schedule.ts'
import { RepriseError } from '../../errors.ts'
import { findAgent } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkedRecurrence, firstTime, nextTime } from '../jobs/recurrence.ts'
import type { ChainSurroundings } from './chains.ts'
import { checkChain, startChain } from './start-chain.ts'

const LOOK_MS = 1_000

export function schedulesApi(around: ChainSurroundings): Reprise['schedules'] {
  const { ready } = around
  return {
    create: async ({ policy, sandbox, agent, maxTier, budgetUsd, dryRun, ...wanted }) => {
      const found = typeof policy === 'string' ? await around.policyNamed(policy) : policy
      return createSchedule(await ready(), {
        ...wanted,
        policy: withSandbox(found, sandbox),
        agent: agent ?? found.agent ?? around.defaultAgent(),
        maxTier: maxTier ?? null,
        dryRun: dryRun ?? false,
        budgetUsd: budgetUsd ?? null,
      })
    },
    list: async () => (await ready()).store.schedules(),
    remove: async id => {
      if (await (await ready()).store.removeSchedule(id)) return
      const hint = 'List them: reprise schedules ls.'
      throw new RepriseError('not-found', `there is no schedule ${id}`, hint)
    },
  }
}

async function createSchedule(
  dependencies: Dependencies,
  { recurrence: asked, ...wanted }: ScheduledChain & { readonly recurrence: RecurrenceRequest },
): Promise<Schedule> {
  const recurrence = await checkedRecurrence(asked)
  const agent = await findAgent(dependencies, wanted.agent)
  const { workDir, prompt } = await checkChain(dependencies, requestOf(wanted), agent)
  const now = dependencies.clock.now()
  const schedule: Schedule = {
    ...wanted,
    workDir,
    prompt,
    id: dependencies.random.id('sch'),
    recurrence,
    nextAt: await firstTime(recurrence, now),
    lastChainId: null,
    skipped: 0,
    lastSkippedAt: null,
    createdAt: now,
  }
  await dependencies.store.createSchedule(schedule)
  return schedule
}

/** Until this process closes. What cannot be started now, is tried at its next time. */
export async function runSchedules(dependencies: Dependencies): Promise<void> {
  while (!dependencies.live.closing.aborted) {
    await startDue(dependencies).catch(() => {
      // The store cannot be written right now: the next look may.
    })
    await dependencies.clock.sleep(LOOK_MS, dependencies.live.closing)
  }
}

async function startDue(dependencies: Dependencies): Promise<void> {
  for (;;) {
    const now = dependencies.clock.now()
    const schedule = await dependencies.store.dueSchedule(now)
    if (schedule === null || dependencies.live.closing.aborted) return
    // Times that were missed while nobody was there are one cycle, not many.
    const nextAt = await nextTime(schedule.recurrence, { lastAt: schedule.nextAt, now })
    const taken = await dependencies.store.takeCycle(schedule, { nextAt, now })
    if (taken === null || taken.isBusy) continue
    const request = { ...requestOf(schedule), scheduleId: schedule.id }
    const signal = new AbortController().signal
    const stored = Promise.withResolvers<void>()
    const control = { emit: () => {}, submitted: () => stored.resolve(), signal }
    dependencies.live
      .during(() => startChain(dependencies, { request, control }))
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
