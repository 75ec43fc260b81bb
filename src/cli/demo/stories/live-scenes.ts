// What is going on when the full demo opens: turns that run, wait in the queue or ask, a chain and a job at work.
import type { LocalReprise, Thread } from '../../../api.ts'
import { RepriseError } from '../../../errors.ts'
import { playScenes, type Scene } from '../full/scene.ts'
import type { StoryWorld } from '../full/story-world.ts'
import { jobRequest } from '../full/tell-job.ts'
import { openQuestion } from '../full/tell-thread.ts'
import { eventually } from '../stage.ts'
import { QUEUED } from './job-stories.ts'
import { PROMPTS_NOW } from './live-script.ts'
import { TITLES_NOW } from './live-threads.ts'

/** Begins everything in the Reprise that stays open. */
export async function beginLive(world: StoryWorld): Promise<void> {
  await playScenes(world, LIVE_SCENES)
}

const LIVE_SCENES: readonly Scene[] = [
  { ago: '9m', play: attemptRuns },
  { ago: '6m', play: ({ reprise }) => ask(reprise, TITLES_NOW.restart, PROMPTS_NOW.restart) },
  { ago: '5m', play: chainRuns },
  { ago: '4m', play: ({ reprise }) => work(reprise, TITLES_NOW.backup, PROMPTS_NOW.backup) },
  {
    ago: '3m',
    play: async world => void (await world.reprise.jobs.submit(jobRequest(world, QUEUED))),
  },
  { ago: '2m', play: ({ reprise }) => ask(reprise, TITLES_NOW.health, PROMPTS_NOW.health) },
  { ago: '1m', play: ({ reprise }) => queue(reprise, TITLES_NOW.backup, PROMPTS_NOW.restore) },
]

/** The worker of this process takes the job that waits for its third attempt. */
async function attemptRuns({ reprise }: StoryWorld): Promise<void> {
  await eventually(async () => {
    const [job] = await reprise.jobs.list({ status: 'running', limit: 1 })
    if (job === undefined) return null
    // Its run has begun, so that the ids of what follows do not depend on which of both was quicker.
    const { attempts } = await reprise.jobs.get(job.id)
    return attempts.at(-1)?.status === 'running' ? true : null
  })
}

async function chainRuns(world: StoryWorld): Promise<void> {
  const chain = world.reprise.chains.start({
    policy: 'releases',
    prompt: PROMPTS_NOW.chain,
    title: 'Product pages take two seconds',
    workDir: world.workDir('website'),
  })
  chain.result.catch(ignored)
  const { chainId } = await chain.submitted
  await eventually(async () => {
    const { runs } = await world.reprise.chains.get(chainId)
    return runs.length === 2 && runs.at(-1)?.status === 'running' ? true : null
  })
}

async function ask(reprise: LocalReprise, title: string, prompt: string): Promise<void> {
  const turn = (await threadCalled(reprise, title)).send(prompt, { questions: 'ask' })
  turn.result.catch(ignored)
  const { runId } = await turn.submitted
  await openQuestion(reprise, runId)
}

async function work(reprise: LocalReprise, title: string, prompt: string): Promise<void> {
  const turn = (await threadCalled(reprise, title)).send(prompt)
  turn.result.catch(ignored)
  const { runId } = await turn.submitted
  await eventually(async () => {
    const { status } = await reprise.runs.get(runId)
    return status === 'running' ? true : null
  })
}

async function queue(reprise: LocalReprise, title: string, prompt: string): Promise<void> {
  const turn = (await threadCalled(reprise, title)).send(prompt)
  turn.result.catch(ignored)
  await turn.submitted
}

async function threadCalled(reprise: LocalReprise, title: string): Promise<Thread> {
  const found = (await reprise.threads.list({ text: title })).find(one => one.title === title)
  if (found) return reprise.threads.get(found.id)
  throw new RepriseError('internal', `the demo has no thread "${title}"`, 'Please report it.')
}

/** The demo closes before the turn is over. */
function ignored(): void {}
