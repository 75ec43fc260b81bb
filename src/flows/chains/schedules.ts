// Starts chains on a schedule. The engine hands out a schedule at its next time; a cycle that would overlap is skipped.
import type { RecurrenceRequest, Reprise } from '../../api.ts'
import { withSandbox } from '../../core/chain/policy.ts'
import type { Schedule, ScheduledChain } from '../../core/chain/schedule.ts'
import { requirementsOfJob } from '../../core/job/job-requirements.ts'
import { laneOf, takesLane } from '../../core/job/lane.ts'
import type { WorkPlace } from '../../core/run/workspace.ts'
import type { Handled, Handler, Work } from '../../engine/engine.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkedRecurrence, firstTime, nextTime } from '../jobs/recurrence.ts'
import { placeOn, sharedRootOf } from '../jobs/waiting-jobs.ts'
import type { ChainSurroundings } from './chains-api.ts'
import { type ChainRequest, checkChain, startChain } from './start-chain.ts'

const SCHEDULE_QUEUE = 'schedules'
/** The pause after a temporary failure, such as a store that cannot be written right now. */
const RETRY_MS = 1_000

export type ScheduleSurroundings = Pick<ChainSurroundings, 'ready' | 'defaultAgent' | 'policyNamed'>

export function schedulesApi(around: ScheduleSurroundings): Reprise['schedules'] {
  const { ready } = around
  return {
    create: async ({ policy, sandbox, agent, maxTier, budgetUsd, dryRun, ...wanted }) => {
      const found = typeof policy === 'string' ? await around.policyNamed(policy) : policy
      const dependencies = await ready()
      return createSchedule(dependencies, {
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
      const dependencies = await ready()
      if (await dependencies.store.removeSchedule(id)) {
        await dependencies.engine.cancel(SCHEDULE_QUEUE, id)
        return
      }
      const hint = 'Run `reprise schedules` to see their ids.'
      throw new RepriseError('not-found', `there is no schedule ${id}`, hint)
    },
  }
}

async function createSchedule(
  dependencies: Dependencies,
  { recurrence: asked, workDir, workspace, ...wanted }: WantedSchedule,
): Promise<Schedule> {
  const recurrence = await checkedRecurrence(asked)
  const where = { ...(workDir !== undefined && { workDir }), ...(workspace && { workspace }) }
  const { place, prompt } = await checkChain(dependencies, { ...limitsOf(wanted), ...where })
  const now = dependencies.clock.now()
  const schedule: Schedule = {
    ...wanted,
    ...place,
    workDir: place.workspace ? null : place.workDir,
    sharedRoot: place.workspace ? null : await sharedRootOf(dependencies, place.workDir),
    prompt,
    id: dependencies.random.id('sch'),
    recurrence,
    nextAt: await firstTime(recurrence, now),
    lastChainId: null,
    skipped: 0,
    lastSkippedAt: null,
    createdAt: now,
  }
  const { store, engine } = dependencies
  await store.createSchedule(
    schedule,
    engine.enlist({ ...workOf(dependencies, schedule), isFresh: true }),
  )
  engine.wake(SCHEDULE_QUEUE)
  return schedule
}

/** A directory is on one host, so a daemon there starts the chain; a repository is for all. */
function workOf({ store }: Pick<Dependencies, 'store'>, schedule: Schedule): Work {
  const lane = laneOf(requirementsOfJob(placeOn(store, { ...schedule, labels: [] })))
  return { queue: SCHEDULE_QUEUE, id: schedule.id, notBefore: schedule.nextAt, lane }
}

/** Starts due chains until the engine closes. The process that keeps the queue calls this. */
export async function runSchedules(dependencies: Dependencies): Promise<void> {
  const { store, engine } = dependencies
  // Some schedules have no live work: they are older than the engine's part in schedules, or their work is dead.
  for (const schedule of await store.schedules()) {
    await engine.dispatch(workOf(dependencies, schedule))
  }
  const takes = (lane: string) => takesLane(dependencies.offer, lane)
  engine.consume(SCHEDULE_QUEUE, scheduleHandler(dependencies), { concurrency: 1, takes })
}

function scheduleHandler(dependencies: Dependencies): Handler {
  return async ({ id }) => {
    try {
      return await startDue(dependencies, id)
    } catch {
      return { next: 'again', at: dependencies.clock.now() + RETRY_MS }
    }
  }
}

async function startDue(dependencies: Dependencies, id: string): Promise<Handled> {
  const { store, live, clock } = dependencies
  for (;;) {
    const schedule = await store.schedule(id)
    if (schedule === null) return { next: 'done' }
    const now = clock.now()
    if (schedule.nextAt > now || live.closing.aborted) return { next: 'again', at: schedule.nextAt }
    // If several times passed while no process ran, only one cycle starts.
    const nextAt = await nextTime(schedule.recurrence, { lastAt: schedule.nextAt, now })
    const taken = await store.takeCycle(schedule, { nextAt, now })
    if (taken && !taken.isBusy) await startCycle(dependencies, schedule)
  }
}

/** Resolves when the chain is stored, so that the next cycle sees it running. Skips a cycle that cannot start. */
async function startCycle(dependencies: Dependencies, schedule: Schedule): Promise<void> {
  const request = { ...requestOf(schedule), scheduleId: schedule.id }
  const signal = new AbortController().signal
  const stored = Promise.withResolvers<void>()
  const control = { submitted: () => stored.resolve(), signal }
  dependencies.live
    .during(() => startChain(dependencies, { request, control }))
    .catch(() => {
      // Nobody waits here for the chain; its record says how it ended.
    })
    .finally(() => stored.resolve())
  await stored.promise
}

function requestOf(schedule: ScheduledChain): ChainRequest {
  const { workDir, workspace } = schedule
  if (workspace === null) return { ...limitsOf(schedule), workDir: workDir ?? '' }
  const { repository, ref } = workspace
  return { ...limitsOf(schedule), workspace: { repository, ...(ref !== null && { ref }) } }
}

type Limited = Omit<ScheduledChain, 'workDir' | 'workspace' | 'host' | 'sharedRoot'>
type WantedSchedule = Limited & WorkPlace & { readonly recurrence: RecurrenceRequest }

function limitsOf({ policy, prompt, agent, dryRun, maxTier, budgetUsd }: Limited) {
  return {
    ...{ policy, prompt, agent, dryRun },
    ...(maxTier !== null && { maxTier }),
    ...(budgetUsd !== null && { budgetUsd }),
  }
}
