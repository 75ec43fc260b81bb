// reprise send: runs one turn in a new or an existing thread.
import type { PreviewOptions, Reprise, Thread, Turn } from '../../api.ts'
import { RepriseError } from '../../errors.ts'
import { confinesFlags, outputOf, type TurnFlags, turnOptionsOf } from '../flags/flags.ts'
import { type PlaceFlags, workPlaceOf } from '../flags/place-flags.ts'
import { promptWithInput } from '../flags/prompt-input.ts'
import { chosenThread, type ThreadFlags } from '../open/chosen-thread.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { streamTurn } from '../view/stream-turn.ts'

export type SendFlags = TurnFlags &
  PlaceFlags &
  ThreadFlags & {
    readonly title?: string
    readonly preview?: true
  }

export async function send(io: Io, argument: string | undefined, flags: SendFlags) {
  const prompt = await promptWithInput(io, argument)
  const options = turnOptionsOf(io, flags)
  if (flags.preview) return preview(io, flags, { ...options, prompt })
  const run = async (reprise: Reprise): Promise<number> => {
    const chosen = await chosenThread(reprise, io, flags)
    if (chosen && flags.repository !== undefined) throw hasPlace(chosen)
    const thread = chosen ?? (await createThread(reprise, io, flags))
    const turn = thread.send(prompt, options)
    await removeWhenRefused(turn, chosen ? null : thread)
    const output = outputOf(flags)
    const onQuestion = flags.ask
      ? (await import('../view/asked.ts')).answering({ io, reprise, output })
      : undefined
    return streamTurn(io, turn, output, onQuestion)
  }
  return withReprise(io, run, { cwd: flags.cwd, ...(flags.ask && { decides: 'may' as const }) })
}

async function preview(io: Io, flags: SendFlags, options: PreviewOptions): Promise<number> {
  if (flags.thread === undefined && !flags.continue) {
    const what = 'a preview needs a thread: the first turn of a new one always starts a new session'
    throw new RepriseError(
      'bad-input',
      what,
      'Name the thread with -t THREAD, or take the latest one of this directory with -c.',
    )
  }
  const { printPreview } = await import('../view/print-preview.ts')
  const show = async (reprise: Reprise) => {
    const thread = await chosenThread(reprise, io, flags)
    if (thread) printPreview(io, await thread.preview(options), flags)
    return 0
  }
  return withReprise(io, show, { cwd: flags.cwd })
}

async function createThread(reprise: Reprise, io: Io, flags: SendFlags): Promise<Thread> {
  return reprise.threads.create({
    ...workPlaceOf(io, flags),
    ...(flags.agent !== undefined && { agent: flags.agent }),
    ...confinesFlags(flags),
    // The first turn has nothing to carry, so that it can only mean the later ones.
    ...(flags.carry !== undefined && { carry: flags.carry }),
    ...(flags.title !== undefined && { title: flags.title }),
  })
}

function hasPlace({ id }: Thread): RepriseError {
  const what = `thread ${id} works where it was begun; --repository is for a new thread`
  return new RepriseError('bad-input', what, 'Leave out -t and -c, or --repository.')
}

/** A refused prompt must not leave an empty thread behind. */
async function removeWhenRefused(turn: Turn, created: Thread | null): Promise<void> {
  // If the turn is refused, `submitted` rejects with the same error.
  turn.result.catch(() => {})
  try {
    await turn.submitted
  } catch (error) {
    await created?.remove()
    throw error
  }
}
