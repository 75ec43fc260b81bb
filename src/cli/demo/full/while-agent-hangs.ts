// For scenes in which something happens while an agent works: the agent reaches a point and hangs there.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { LocalReprise } from '../../../api.ts'
import type { ScriptStep } from '../../../testing/fake-agent/script.ts'
import { eventually } from '../stage.ts'
import type { StoryWorld } from './story-world.ts'

/** The last steps of an agent that hangs. */
export function hangSteps(world: StoryWorld): readonly ScriptStep[] {
  return [{ type: 'writeFile', path: markOf(world), text: '' }, { type: 'hang' }]
}

/** Waits until the agent hangs and Reprise has stored what it said before. */
async function agentHangs(world: StoryWorld): Promise<void> {
  await eventually(async () => (existsSync(markOf(world)) ? true : null))
  await rm(markOf(world))
  const [run] = await world.reprise.runs.list({ status: 'running', limit: 1 })
  if (!run) return
  let seen = -1
  await eventually(async () => {
    const events = await world.reprise.runs.events(run.id)
    const isQuiet = events.length === seen
    seen = events.length
    return isQuiet ? true : null
  })
}

/** Opens another Reprise, in which `begin` starts something that hangs, and closes it after `end`. */
export async function whileAgentHangs(
  world: StoryWorld,
  scene: {
    readonly workers?: number
    begin(reprise: LocalReprise): Promise<void>
    end?(reprise: LocalReprise): Promise<void>
  },
): Promise<void> {
  await world.reprise.close()
  const reprise = world.open({ hangs: true, ...(scene.workers && { workers: scene.workers }) })
  await scene.begin(reprise)
  await agentHangs(world)
  await scene.end?.(reprise)
  await reprise.close()
  world.open()
}

function markOf(world: StoryWorld): string {
  return world.path('agent-hangs')
}
