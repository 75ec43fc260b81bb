// The flags of verbs that write and read thread files.
import type { Command } from 'commander'
import { addJsonFlag } from './flags.ts'

export function addExportFlags(command: Command): Command {
  return addJsonFlag(command)
    .option('-o, --output <file>', 'the file to write (default: THREAD.reprise); none is replaced')
    .option(
      '--no-sessions',
      "leave out the agents' own session files, which hold what agents read, unredacted",
    )
    .option('--no-checkpoints', 'leave out the checkpoints, which hold files of the work dir')
    .option(
      '--only-checkpoints',
      "write the checkpoints of its job alone, as a git bundle: `git fetch FILE 'refs/reprise/*:refs/reprise/*'`",
    )
}

export function addImportFlags(command: Command): Command {
  return addJsonFlag(command)
    .argument('<file>', 'a file that `reprise threads export` has written')
    .option('--cwd <dir>', 'where the thread goes on (default: this directory)')
    .option(
      '--trust-key <key>',
      'the public key of the other side: a file that it signed needs no approval, any other is refused',
    )
    .option(
      '--no-sessions',
      "leave out the agents' own session files: the next turn brings only what the thread shows",
    )
}
