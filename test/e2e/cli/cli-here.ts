// Runs a verb inside the test's own process: the same code without the start of a program, for tests that need many calls.
import { Readable } from 'node:stream'
import type { Io } from '../../../src/cli/start/io.ts'
import { runCli } from '../../../src/cli/start/run-cli.ts'
import type { CliWorld } from './cli-world.ts'

export type RanHere = { readonly code: number; readonly out: string; readonly err: string }

export async function runHere(
  world: CliWorld,
  args: readonly string[],
  more: Partial<Io> = {},
): Promise<RanHere> {
  let out = ''
  let err = ''
  const io: Io = {
    stdin: Readable.from([]),
    isStdinPiped: () => false,
    stdout: { write: text => (out += text) },
    stderr: { write: text => (err += text) },
    cwd: world.workDir,
    onStopRequest: () => () => {},
    exitNow: () => {},
    ...more,
    env: { ...world.env, ...more.env },
  }
  return { code: await runCli(args, io), out, err }
}

/** What `--json` printed. */
export async function jsonHere<T>(world: CliWorld, args: readonly string[]): Promise<T> {
  const { code, out, err } = await runHere(world, [...args, '--json'])
  if (code !== 0) throw new Error(`reprise ${args.join(' ')} ended with ${code}: ${out}${err}`)
  return JSON.parse(out) as T
}
