// Reads the prompt from the argument, from stdin, or from both.
import { RepriseError } from '../../errors.ts'
import type { Io } from '../start/io.ts'
import { decoded } from './decoded.ts'

/** Far more than an agent accepts: a longer input is a mistake and must not fill the memory. */
const MAX_STDIN_BYTES = 64 * 1024 * 1024

/** As `promptFrom`; what a shell pipes into the command follows the argument: `git diff | reprise send "explain"`. */
export async function promptWithInput(io: Io, argument: string | undefined): Promise<string> {
  const prompt = await promptFrom(io, argument)
  if (argument === undefined || argument === '-' || !io.isStdinPiped()) return prompt
  const input = await readAll(io)
  return input.trim() === '' ? prompt : `${prompt}\n\n${input}`
}

/** `-` means stdin. Without an argument, stdin is read too, unless it is a terminal. */
export async function promptFrom(io: Io, argument: string | undefined): Promise<string> {
  if (argument !== undefined && argument !== '-') return argument
  if (argument === undefined && io.stdin.isTTY) {
    throw new RepriseError(
      'bad-input',
      'there is no prompt',
      'Give it as an argument, or `-` and the prompt on stdin.',
    )
  }
  return readAll(io)
}

/** After this time the command says what it waits for. */
const QUIET_MS = 3_000

async function readAll(io: Io): Promise<string> {
  const notice = setTimeout(() => {
    io.stderr.write('waiting for stdin to end (`< /dev/null` gives none)\n')
  }, QUIET_MS)
  try {
    return await readToEnd(io)
  } finally {
    clearTimeout(notice)
  }
}

async function readToEnd(io: Io): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of io.stdin) {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    bytes += piece.byteLength
    if (bytes > MAX_STDIN_BYTES) {
      throw new RepriseError(
        'bad-input',
        `stdin holds more than ${MAX_STDIN_BYTES / 1024 / 1024} MB`,
        'Put the data into a file of the work dir and ask the agent to read it.',
      )
    }
    chunks.push(piece)
  }
  return decoded(Buffer.concat(chunks), 'what came on stdin')
}
