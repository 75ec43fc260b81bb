// Runs a verb inside the test's own process: the same code without the start of a program.
import { Readable } from 'node:stream'
import type { Io } from '../src/cli/start/io.ts'
import { runCli } from '../src/cli/start/run-cli.ts'

export type RanHere = { readonly code: number; readonly out: string; readonly err: string }

export async function runCliHere(
  args: readonly string[],
  place: Pick<Io, 'env' | 'cwd'> & Partial<Io>,
): Promise<RanHere> {
  let out = ''
  let err = ''
  const io: Io = {
    stdin: Readable.from([]),
    isStdinPiped: () => false,
    stdout: { write: text => (out += text) },
    stderr: { write: text => (err += text) },
    onStopRequest: () => () => {},
    exitNow: () => {},
    ...place,
  }
  return { code: await runCli(args, io), out, err }
}
