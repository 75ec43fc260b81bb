// reprise send: runs one turn in a new or an existing thread.
import { resolve } from 'node:path'
import type { PreviewOptions, Reprise, Thread } from '../../api.ts'
import { RepriseError } from '../../errors.ts'
import { confinesFlags, outputOf, type TurnFlags, turnOptionsOf } from '../flags/flags.ts'
import { promptFrom } from '../flags/prompt-input.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { streamTurn } from '../view/stream-turn.ts'

export type SendFlags = TurnFlags & {
  readonly thread?: string
  readonly title?: string
  readonly preview?: true
}

export async function send(io: Io, argument: string | undefined, flags: SendFlags) {
  const prompt = await promptFrom(io, argument)
  const options = turnOptionsOf(io, flags)
  if (flags.preview) return preview(io, flags, { ...options, prompt })
  const run = async (reprise: Reprise): Promise<number> => {
    const thread = await threadFor(reprise, io, flags)
    const turn = thread.send(prompt, options)
    await keepOnlyWhenSubmitted(thread, turn, flags)
    const output = outputOf(flags)
    const onQuestion = flags.ask
      ? (await import('../view/asked.ts')).answering({ io, reprise, output })
      : undefined
    return streamTurn(io, turn, output, onQuestion)
  }
  return withReprise(io, run, { cwd: flags.cwd, ...(flags.ask && { decides: 'may' as const }) })
}

async function preview(io: Io, flags: SendFlags, options: PreviewOptions): Promise<number> {
  const { thread: id } = flags
  if (id === undefined) {
    const what = 'a preview needs a thread: the first turn of a new one always starts a new session'
    throw new RepriseError(
      'bad-input',
      what,
      'Name the thread: reprise send -t <thread> --preview.',
    )
  }
  const { printPreview } = await import('../view/print-preview.ts')
  const show = async (reprise: Reprise) => {
    const thread = await reprise.threads.get(id)
    printPreview(io, await thread.preview(options), flags)
    return 0
  }
  return withReprise(io, show, { cwd: flags.cwd })
}

async function threadFor(reprise: Reprise, io: Io, flags: SendFlags): Promise<Thread> {
  if (flags.thread !== undefined) return reprise.threads.get(flags.thread)
  return reprise.threads.create({
    workDir: resolve(io.cwd, flags.cwd ?? '.'),
    ...(flags.agent !== undefined && { agent: flags.agent }),
    ...confinesFlags(flags),
    ...(flags.title !== undefined && { title: flags.title }),
  })
}

/** A refused prompt must not leave an empty thread behind. */
async function keepOnlyWhenSubmitted(
  thread: Thread,
  turn: ReturnType<Thread['send']>,
  flags: SendFlags,
): Promise<void> {
  // If the turn is refused, `submitted` rejects with the same error.
  turn.result.catch(() => {})
  try {
    await turn.submitted
  } catch (error) {
    if (flags.thread === undefined) await thread.remove()
    throw error
  }
}
