// reprise completion: prints the completion script for a shell.
import type { JsonFlag } from '../flags/flags.ts'
import type { Io } from '../start/io.ts'
import { printJson } from '../view/print.ts'
import { HOW_TO_LOAD, SCRIPTS, type Shell } from './scripts.ts'

export async function completion(io: Io, name: Shell, flags: JsonFlag): Promise<number> {
  if (flags.json) printJson(io, { name, script: SCRIPTS[name] })
  else io.stdout.write(SCRIPTS[name])
  // A person who only looks learns what to do with it; a file or a pipe gets the script alone.
  if (io.stdout.isTTY) io.stderr.write(`\nto load it:\n  ${HOW_TO_LOAD[name].join('\n  ')}\n`)
  return 0
}
