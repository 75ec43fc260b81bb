// Tells one conversation of the full demo, turn by turn, at the times that its story names.
import type { LocalReprise, Thread, TurnOptions } from '../../../api.ts'
import type { GivenAnswer, Question } from '../../../core/conversation/question.ts'
import type { ScriptStep } from '../../../testing/fake-agent/script.ts'
import { eventually } from '../stage.ts'
import { usualWork } from '../stories/shop-work.ts'
import { billed, createMeter, type Meter } from './bill.ts'
import type { Scene } from './scene.ts'
import { said } from './steps.ts'
import type { StoryWorld, WorkDir } from './story-world.ts'

export type ThreadStory = {
  readonly title: string
  readonly workDir: WorkDir
  readonly turns: readonly (TurnStory | ReplyStory)[]
}

type Done = {
  /** Before the present, such as `3d 4h 20m`. */
  readonly ago: string
  /** What the agent does before it answers; a number: so many calls of its usual work. */
  readonly work?: readonly ScriptStep[] | number
  /** The answer, in Markdown. */
  readonly answer?: string
}

export type TurnStory = Done & {
  readonly prompt: string
  /** What the agent does after its answer, such as failing. */
  readonly then?: readonly ScriptStep[]
  readonly options?: TurnOptions
  /** The turn waits at a question of the agent. */
  readonly asks?: true
  /** What happens just before the turn. */
  readonly before?: (told: Told) => Promise<void>
}

/** The user answers what the turn before asked. */
export type ReplyStory = Done & { readonly reply: GivenAnswer }

/** A conversation as far as it was told. */
export type Told = { readonly world: StoryWorld; readonly thread: Thread; readonly meter: Meter }

/** The context of a conversation that begins again with its transcript. */
const REPLAYED_CONTEXT_TOKENS = 19_000

export function tellThread({ title, workDir, turns }: ThreadStory): readonly Scene[] {
  let told: Promise<Told> | null = null
  const begin = async (world: StoryWorld, agent: string | undefined): Promise<Told> => {
    const wanted = { title, workDir: world.workDir(workDir), ...(agent && { agent }) }
    const thread = await world.reprise.threads.create(wanted)
    return { world, thread, meter: createMeter(world.random) }
  }
  return turns.map(turn => ({
    ago: turn.ago,
    async play(world) {
      told ??= begin(world, 'prompt' in turn ? turn.options?.agent : undefined)
      const { meter, thread } = await told
      // Another Reprise may be open by now.
      const now = { world, meter, thread: await world.reprise.threads.get(thread.id) }
      if ('reply' in turn) return playReply(now, turn)
      await turn.before?.(now)
      await playTurn(now, turn)
    },
  }))
}

async function playTurn(told: Told, turn: TurnStory): Promise<void> {
  const { world, thread, meter } = told
  const { action } = (await thread.preview(turn.options)).decision
  if (action === 'replay') meter.startCold(REPLAYED_CONTEXT_TOKENS)
  await world.script([{ do: stepsOf(told, turn) }])
  if (!turn.asks) return void (await thread.send(turn.prompt, turn.options).result)
  const asking = thread.send(turn.prompt, { ...turn.options, questions: 'ask' })
  asking.result.catch(() => {
    // Reprise may be closed before somebody answers.
  })
  const { runId } = await asking.submitted
  await openQuestion(world.reprise, runId)
}

async function playReply(told: Told, reply: ReplyStory): Promise<void> {
  const { world, thread } = told
  const { runs } = await thread.show()
  const asking = runs.find(run => run.status === 'waiting')
  if (!asking) throw new Error('nobody asks in this thread of the demo')
  const { toolUseId } = await openQuestion(world.reprise, asking.id)
  await world.script([{ do: stepsOf(told, reply) }])
  const { turn } = await world.reprise.runs.answer(asking.id, { toolUseId, ...reply.reply })
  if (turn) return void (await turn.result)
  await eventually(async () => {
    const { status } = await world.reprise.runs.get(asking.id)
    return status === 'completed' ? true : null
  })
}

/** Waits until the run asks. */
export function openQuestion(reprise: LocalReprise, runId: string): Promise<Question> {
  return eventually(async () => {
    const questions = await reprise.runs.questions(runId)
    return questions.find(({ state }) => state === 'open') ?? null
  })
}

/** The steps of a turn with their bills: a session that goes on finds its context in the cache. */
function stepsOf({ world, meter }: Told, turn: Done & Pick<TurnStory, 'then'>) {
  const work = typeof turn.work === 'number' ? usualWork(world.random, turn.work) : turn.work
  const steps = [
    ...(work ?? []),
    ...(turn.answer === undefined ? [] : [said(turn.answer)]),
    ...(turn.then ?? []),
  ]
  return billed(steps, { usage: meter.next, seconds: () => world.random.between(2, 11) })
}
