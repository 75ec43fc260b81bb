// The jobs of the full demo: one for each state of a job, besides those that still run.

import type { Scene } from '../full/scene.ts'
import { damageSession } from '../full/session-files.ts'
import type { StoryWorld } from '../full/story-world.ts'
import {
  type JobStory,
  jobRequest,
  jobScript,
  listedJob,
  playJob,
  untilItRests,
  withWorker,
} from '../full/tell-job.ts'
import { hangSteps, whileAgentHangs } from '../full/while-agent-hangs.ts'
import { eventually } from '../stage.ts'
import {
  AFTER_AN_OUTAGE,
  CANCELLED_JOB,
  COMPLETED,
  DEAD,
  FAILED,
  limited,
  NIGHTLY,
  updateJob,
  WAITING,
} from './job-stories.ts'

const scene = (ago: string, story: JobStory): Scene => ({
  ago,
  play: async world => void (await playJob(world, story)),
})

export const JOB_SCENES: readonly Scene[] = [
  scene('11d 2h', COMPLETED),
  scene('6d 22h', AFTER_AN_OUTAGE),
  { ago: '5d 4h', play: playCancelledJob },
  scene('4d 1h', FAILED),
  scene('3d 9h', NIGHTLY),
  ...['2d 8h 59m', '1d 8h 59m', '8h 59m'].map(ago => ({ ago, play: playNight })),
  scene('1d 6h', DEAD),
  { ago: '58m', play: playLimited },
  scene('50m', WAITING),
  { ago: '38m', play: beginUpdate },
  { ago: '22m', play: goOnWithUpdate },
]

async function playCancelledJob(world: StoryWorld): Promise<void> {
  const story = CANCELLED_JOB(hangSteps(world))
  await world.script(jobScript(world, story))
  let id = ''
  await whileAgentHangs(world, {
    workers: 1,
    begin: async ({ jobs }) => {
      id = (await jobs.submit(jobRequest(world, story))).id
    },
    end: async ({ jobs }) => void (await jobs.cancel(id)),
  })
}

/** The job of this night is due; when it ends, the one of the next night is stored. */
async function playNight(world: StoryWorld): Promise<void> {
  const [due] = await world.reprise.jobs.list({ status: 'queued', limit: 1 })
  if (!due) return
  await world.script(jobScript(world, NIGHTLY))
  await withWorker(world, () => untilItRests(world, due.id))
}

async function playLimited(world: StoryWorld): Promise<void> {
  await playJob(world, limited(world.now + 2.2 * 3_600_000))
}

async function beginUpdate(world: StoryWorld): Promise<void> {
  const story = updateJob(world.workDir('shop'), hangSteps(world))
  await world.script(jobScript(world, story))
  await whileAgentHangs(world, {
    workers: 1,
    begin: async ({ jobs }) => void (await jobs.submit(jobRequest(world, story))),
  })
}

/** The second attempt resumes, and falls silent. Then the session file loses its end, and our copy is gone. */
async function goOnWithUpdate(world: StoryWorld): Promise<void> {
  const [job] = await world.reprise.jobs.list({ limit: 1 })
  if (!job) return
  await world.script(jobScript(world, updateJob(world.workDir('shop'), [])))
  await withWorker(world, async reprise => {
    await eventually(async () => {
      if ((await listedJob(reprise, job.id)).status !== 'waiting') return null
      const { status, attempts } = await reprise.jobs.get(job.id)
      return status === 'waiting' && attempts.length === 2 ? true : null
    })
    const sessions = await reprise.sessions.list({ threadId: job.threadId })
    for (const { sessionId } of sessions) await damageSession(world, sessionId)
  })
}
