// The tour: a few steps, each with what it shows, the command a user would type, and why it went the way it did.
import { explain, wordsOf } from '../../core/explain.ts'
import type { Run } from '../../core/run.ts'
import { printExplanation } from '../commands/why.ts'
import { type Io, paint } from '../io.ts'
import { printLine } from '../print.ts'
import { sanitise } from '../sanitise.ts'
import { summaryOf } from '../stream-turn.ts'
import { PROMPTS } from './script.ts'
import type { Stage } from './stage.ts'

export type Step = {
  readonly title: string
  readonly command: string
  readonly decision: string | null
  readonly words: string | null
}

type Sent = { readonly run: Run; readonly threadId: string; readonly text: string }

export async function tour(io: Io, stage: Stage): Promise<readonly Step[]> {
  const steps: Step[] = []
  const bold = paint(io, io.stdout, 'bold')
  const dim = paint(io, io.stdout, 'dim')
  const show = (step: Step, body: readonly string[]): void => {
    steps.push(step)
    printLine(io, `\n${bold(`${steps.length}. ${step.title}`)}\n`)
    printLine(io, `   $ ${step.command}`)
    for (const line of body) printLine(io, `   ${sanitise(line)}`)
    if (step.words !== null) printLine(io, dim(`   why: ${sanitise(step.words)}`))
  }
  const send = async (title: string, prompt: string, threadId?: string): Promise<Sent> => {
    const thread = threadId === undefined ? [] : ['-t', threadId]
    // Printed by `reprise send --json`, so it has this shape.
    const sent = (await stage.run(['send', ...thread, prompt])) as Sent
    const words = sent.run.decision && wordsOf(sent.run.decision)
    const command = ['reprise send', ...thread, `"${prompt}"`].join(' ')
    show({ title, command, decision: sent.run.decision?.action ?? null, words }, [
      sent.text,
      summaryOf(sent.run),
    ])
    return sent
  }

  printLine(io, INTRODUCTION)
  const { threadId } = await send(
    'Start a thread. The answer is kept, with what it cost.',
    PROMPTS.first,
  )
  await send(
    'Another process, the same thread. The agent remembers: its own session goes on.',
    PROMPTS.second,
    threadId,
  )

  await stage.run(['threads', 'edit', threadId, '3', PROMPTS.edited])
  show(
    {
      title: 'Change the past. The second prompt now says something else; the answer to it stays.',
      command: `reprise threads edit ${threadId} 3 "${PROMPTS.edited}"`,
      decision: null,
      words: null,
    },
    [],
  )
  await send(
    'The session has seen what is no longer true: it is copied up to where it is still right.',
    PROMPTS.third,
    threadId,
  )

  await stage.killInTheMiddle(['send', '-t', threadId, PROMPTS.killed])
  show(
    {
      title: 'Pull the plug: kill -9 in the middle of a turn. The agent goes with it.',
      command: `reprise send -t ${threadId} "${PROMPTS.killed}"   # … kill -9`,
      decision: null,
      words: null,
    },
    ['Killed'],
  )
  const last = await send(
    'Go on. Nothing was lost: the next turn finds out what happened and continues.',
    PROMPTS.last,
    threadId,
  )

  const killed = (await stage.run(['runs', 'ls', '--status', 'interrupted'])) as readonly Run[]
  show(
    {
      title: 'What was killed is on record, with what is known about it.',
      command: 'reprise runs --status interrupted',
      decision: null,
      words: null,
    },
    killed.map(run => `${run.id}  ${run.status}: ${run.failure?.message}`),
  )

  printLine(io, `\n${bold('And always: why?')}\n\n   $ reprise why ${last.run.id}`)
  if (last.run.decision) printExplanation(indented(io), explain(last.run.decision))
  printLine(io, NEXT)
  return steps
}

function indented(io: Io): Io {
  const write = (text: string) => io.stdout.write(text.replace(/^(?=.)/gm, '   '))
  return { ...io, stdout: { ...io.stdout, isTTY: io.stdout.isTTY === true, write } }
}

const INTRODUCTION = `Every call of a coding agent is a new process without a memory. Reprise keeps the conversation, continues the
agent's own session whenever that is safe, and can say why. Here with a fake agent: no key, no network, nothing kept.`

const NEXT = `
Try it with your own agent (Claude Code on PATH), in a project of yours:

   reprise agents                        what was found
   reprise send "What is this project?"  a first turn
   reprise threads                       your threads; \`threads show ID\` prints one
   reprise savings                       what continuing has saved`
