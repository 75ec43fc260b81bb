// Runs a verb of a world inside the test's own process, for tests that need many calls.
import type { Io } from '../../../src/cli/start/io.ts'
import { type RanHere, runCliHere } from '../../run-cli-here.ts'
import type { CliWorld } from './cli-world.ts'

export function runHere(
  world: CliWorld,
  args: readonly string[],
  more: Partial<Io> = {},
): Promise<RanHere> {
  return runCliHere(args, { cwd: world.workDir, ...more, env: { ...world.env, ...more.env } })
}

/** What `--json` printed. */
export async function jsonHere<T>(world: CliWorld, args: readonly string[]): Promise<T> {
  const { code, out, err } = await runHere(world, [...args, '--json'])
  if (code !== 0) throw new Error(`reprise ${args.join(' ')} ended with ${code}: ${out}${err}`)
  return JSON.parse(out) as T
}
