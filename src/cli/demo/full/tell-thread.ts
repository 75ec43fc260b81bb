// Tells one conversation of the full demo, turn by turn, at the times that its story names.
import type { Thread, TurnOptions } from '../../../api.ts'
import type { ScriptStep } from '../../../testing/fake-agent/script.ts'
import { billed, createMeter, type Meter } from './bill.ts'
import type { Scene } from './scene.ts'
import { usualWork } from './shop-work.ts'
import { said } from './steps.ts'
import type { StoryWorld, WorkDir } from './story-world.ts'

export type ThreadStory = {
  readonly title: string
  readonly workDir: WorkDir
  readonly turns: readonly TurnStory[]
}

export type TurnStory = {
  /** Before the present, such as `3d 4h 20m`. */
  readonly ago: string
  readonly prompt: string
  /** The answer, in Markdown. */
  readonly answer?: string
  /** What the agent does before it answers; a number: so many calls of its usual work. */
  readonly work?: readonly ScriptStep[] | number
  /** What the agent does after its answer, such as failing. */
  readonly then?: readonly ScriptStep[]
  readonly options?: TurnOptions
  /** What happens just before the turn. */
  readonly before?: (told: Told) => Promise<void>
}

/** A conversation as far as it was told. */
export type Told = { readonly world: StoryWorld; readonly thread: Thread; readonly meter: Meter }

/** The context of a conversation that begins again with its transcript. */
const REPLAYED_CONTEXT_TOKENS = 19_000

export function tellThread({ title, workDir, turns }: ThreadStory): readonly Scene[] {
  let told: Promise<Told> | null = null
  const begin = async (world: StoryWorld, agent: string | undefined): Promise<Told> => {
    const wanted = { title, workDir: world.workDir(workDir), ...(agent && { agent }) }
    const { id } = await world.reprise.threads.create(wanted)
    return { world, thread: await world.reprise.threads.get(id), meter: createMeter(world.random) }
  }
  return turns.map(turn => ({
    ago: turn.ago,
    async play(world) {
      told ??= begin(world, turn.options?.agent)
      const { meter, thread } = await told
      // Another Reprise may be open by now.
      const now = { world, meter, thread: await world.reprise.threads.get(thread.id) }
      await turn.before?.(now)
      await playTurn(now, turn)
    },
  }))
}

async function playTurn(told: Told, turn: TurnStory): Promise<void> {
  const { world, thread } = told
  await world.script([{ do: await stepsOf(told, turn) }])
  await thread.send(turn.prompt, turn.options).result
}

/** The steps of a turn with their bills: a session that goes on finds its context in the cache. */
export async function stepsOf(told: Told, turn: TurnStory): Promise<readonly ScriptStep[]> {
  const { world, thread, meter } = told
  const { action } = (await thread.preview(turn.options)).decision
  if (action === 'replay') meter.startCold(REPLAYED_CONTEXT_TOKENS)
  const work = typeof turn.work === 'number' ? usualWork(world.random, turn.work) : turn.work
  const steps = [
    ...(work ?? []),
    ...(turn.answer === undefined ? [] : [said(turn.answer)]),
    ...(turn.then ?? []),
  ]
  return billed(steps, { usage: meter.next, seconds: () => world.random.between(2, 11) })
}
