// Tells one conversation of the full demo, turn by turn, at the times that its story names.
import type { LocalReprise, Thread, Turn, TurnOptions } from '../../../api.ts'
import type { GivenAnswer, Question } from '../../../core/conversation/question.ts'
import type { FakeScript, ScriptStep } from '../../../testing/fake-agent/script.ts'
import { eventually } from '../stage.ts'
import { usualWork } from '../stories/shop-work.ts'
import { billed, createMeter, type Meter, tokensInText } from './bill.ts'
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
  readonly atEnd?: readonly ScriptStep[]
  readonly options?: TurnOptions
  /** The turn waits at a question of the agent. */
  readonly asks?: true
  /** The agent refuses to resume its session. */
  readonly refuses?: true
  /** The turn replaces the message of this number, which counts from 1, and all later ones. */
  readonly replaces?: number
  /** The turn runs in another work dir than the thread. */
  readonly moves?: WorkDir
  /** What happens just before the turn. */
  readonly before?: (told: Told) => Promise<void>
}

/** The user answers what the turn before asked. */
export type ReplyStory = Done & { readonly reply: GivenAnswer }

/** A conversation up to the present turn. */
export type Told = { readonly world: StoryWorld; readonly thread: Thread; readonly meter: Meter }

/** The context of a conversation that begins again, besides its transcript. */
const EMPTY_CONTEXT_TOKENS = 14_000

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
  const options = {
    ...turn.options,
    ...(turn.moves && { workDir: world.workDir(turn.moves) }),
    ...(turn.asks && { questions: 'ask' as const }),
  }
  const { action } = (await thread.preview(options)).decision
  if (action === 'replay' || turn.refuses) meter.startCold(await replayedTokens(thread))
  meter.hear(turn.prompt)
  const refusal: FakeScript = turn.refuses
    ? [{ when: 'resume', do: [{ type: 'refuseResume' }] }]
    : []
  await world.script([...refusal, { do: stepsOf(told, turn) }])
  const sent = await send(thread, turn, options)
  if (!turn.asks) return void (await sent.result)
  sent.result.catch(() => {
    // Reprise may be closed before somebody answers.
  })
  const { runId } = await sent.submitted
  await openQuestion(world.reprise, runId)
}

async function replayedTokens(thread: Thread): Promise<number> {
  const { messages } = await thread.show()
  const transcript = messages.map(
    message => tokensInText(message.text) + 240 * message.tools.length,
  )
  return transcript.reduce((sum, tokens) => sum + tokens, EMPTY_CONTEXT_TOKENS)
}

async function send(thread: Thread, turn: TurnStory, options: TurnOptions): Promise<Turn> {
  if (turn.replaces === undefined) return thread.send(turn.prompt, options)
  const message = (await thread.show()).messages[turn.replaces - 1]
  if (!message) throw new Error(`a thread of the demo has no message ${turn.replaces}`)
  return thread.retry(message.id, { ...options, text: turn.prompt })
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
function stepsOf({ world, meter }: Told, turn: Done & Pick<TurnStory, 'atEnd'>) {
  const work = typeof turn.work === 'number' ? usualWork(world.random, turn.work) : turn.work
  const steps = [
    ...(work ?? []),
    ...(turn.answer === undefined ? [] : [said(turn.answer)]),
    ...(turn.atEnd ?? []),
  ]
  return billed(steps, { usage: meter.next, seconds: () => world.random.between(2, 11) })
}
