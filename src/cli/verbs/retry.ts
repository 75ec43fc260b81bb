// reprise threads retry: drops messages, asks again and streams the answer as `send` does.
import { outputOf, type TurnFlags, turnOptionsOf } from '../flags/flags.ts'
import { retriedMessage } from '../flags/message-reference.ts'
import { promptFrom } from '../flags/prompt-input.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { printPreview } from '../view/print-preview.ts'
import { streamTurn } from '../view/stream-turn.ts'

export async function retryMessage(
  io: Io,
  threadId: string,
  reference: string,
  argument: string | undefined,
  flags: TurnFlags & { readonly preview?: true },
): Promise<number> {
  const text = argument === undefined ? undefined : await promptFrom(io, argument)
  const options = turnOptionsOf(io, flags)
  return withReprise(
    io,
    async reprise => {
      const thread = await reprise.threads.get(threadId)
      const messageId = retriedMessage((await thread.show()).messages, reference)
      if (flags.preview) {
        const asked = { retry: messageId, ...(text !== undefined && { prompt: text }) }
        printPreview(io, await thread.preview({ ...options, ...asked }), flags)
        return 0
      }
      const turn = thread.retry(messageId, { ...options, ...(text !== undefined && { text }) })
      return streamTurn(io, turn, outputOf(flags))
    },
    { cwd: flags.cwd },
  )
}
