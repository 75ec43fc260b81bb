// Tells one job of the full demo: what its attempts do, and the process that works on it.
import type { JobRequest, ListedJob, LocalReprise } from '../../../api.ts'
import { RepriseError } from '../../../errors.ts'
import type { FakeScript, ScriptStep } from '../../../testing/fake-agent/script.ts'
import { eventually } from '../stage.ts'
import { billed, createMeter } from './bill.ts'
import type { StoryWorld, WorkDir } from './story-world.ts'

export type JobStory = Omit<JobRequest, 'workDir'> & {
  readonly workDir: WorkDir
  /** What the first attempt does, then the second one, and so on. */
  readonly attempts: readonly (readonly ScriptStep[])[]
  readonly minutes?: number
}

const OVER: readonly string[] = ['completed', 'failed', 'cancelled', 'dead']

export function jobRequest(world: StoryWorld, story: JobStory): JobRequest {
  const { attempts: _, minutes: __, workDir, ...request } = story
  return { ...request, workDir: world.workDir(workDir) }
}

/** The prompt of a later attempt names its number. */
export function jobScript(world: StoryWorld, story: JobStory): FakeScript {
  const meter = createMeter(world.random)
  const most = ((story.minutes ?? 2) * 60) / 3
  const seconds = () => world.random.between(Math.ceil(most / 4), Math.ceil(most))
  return story.attempts
    .map((steps, index) => ({
      ...(index > 0 && { when: `attempt ${index + 1}` }),
      do: billed(steps, { usage: meter.next, seconds }),
    }))
    .toReversed()
}

/** Submits a job to a process that works on it until it rests: it is over, or waits for a later time. */
export async function playJob(world: StoryWorld, story: JobStory): Promise<string> {
  await world.script(jobScript(world, story))
  return withWorker(world, async reprise => {
    const { id } = await reprise.jobs.submit(jobRequest(world, story))
    await untilItRests(world, id)
    return id
  })
}

/** Opens a process that works on jobs, for as long as `work` takes. */
export async function withWorker<T>(
  world: StoryWorld,
  work: (reprise: LocalReprise) => Promise<T>,
): Promise<T> {
  await world.reprise.close()
  const reprise = world.open({ workers: 1 })
  const result = await work(reprise)
  await reprise.close()
  world.open()
  return result
}

/** Moves on to short waits of the job; a wait of more than a minute is a rest. */
export async function untilItRests(world: StoryWorld, id: string): Promise<void> {
  await eventually(async () => {
    const job = await listedJob(world.reprise, id)
    if (OVER.includes(job.status)) return true
    const waits = job.status === 'waiting' || job.status === 'parked'
    if (!waits || job.nextAttemptAt === null) return null
    if (job.nextAttemptAt - world.clock.now() > 60_000) return true
    world.clock.moveTo(job.nextAttemptAt)
    return null
  })
}

/** The list says what the job does without asking git for its checkpoints, so it can be read again and again. */
export async function listedJob({ jobs }: LocalReprise, id: string): Promise<ListedJob> {
  const found = (await jobs.list({ limit: 1_000 })).find(job => job.id === id)
  if (found) return found
  throw new RepriseError('internal', `the demo lost its job ${id}`, 'Please report it.')
}
