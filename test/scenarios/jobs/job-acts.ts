// What scenarios of jobs do again and again: submit one, wait for its end, name a new file.
import type { JobDetails, JobRequest } from '../../../src/index.ts'
import { appears, append, getStuck } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'

export const TASK = 'rebuild the index of the library'
/** For a job that its time limit shall not end, however busy the machine is. */
const NO_LIMIT_MS = 600_000

let names = 0
export const newName = (name: string) => `${name}-${names++}`
export const fresh = (world: Harness, name: string) => world.path(newName(name))

export function submit(world: Harness, more: Partial<JobRequest> = {}): Promise<JobDetails> {
  return world.reprise.jobs.submit({
    prompt: TASK,
    workDir: world.workDir,
    allowedTools: ['Bash'],
    timeoutMs: NO_LIMIT_MS,
    backoff: { firstMs: 20, jitter: 0 },
    ...more,
  })
}

export const over = (world: Harness, { id }: { readonly id: string }) => world.reprise.jobs.wait(id)

/** A job whose first attempt has appended a line and then hangs in another call. */
export async function stuck(world: Harness, more: Partial<JobRequest> = {}) {
  const effects = fresh(world, 'effects')
  const reached = fresh(world, 'reached')
  world.model.plan([append(effects, 'done'), getStuck(reached)])
  const job = await submit(world, more)
  await appears(reached)
  const { attempts } = await world.reprise.jobs.get(job.id)
  return { job, effects, runId: attempts[0]?.id ?? '' }
}
