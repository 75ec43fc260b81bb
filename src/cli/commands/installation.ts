// The verbs that check the installation and show what Reprise does, with their flags: doctor, completion, demo.
import { Argument, type Command } from 'commander'
import { HOW_TO_LOAD, SHELLS } from '../completion/scripts.ts'
import { addJsonFlag } from '../flags/flags.ts'
import type { VerbCall } from '../start/call.ts'

const LOADING = SHELLS.flatMap(shell => HOW_TO_LOAD[shell].map(line => `  ${line}\n`)).join('')

export function addInstallationVerbs(program: Command, call: VerbCall): void {
  addJsonFlag(program.command('doctor'))
    .description(
      'check the installation: Node, data directory, disk, store, agents, keys or logins, daemon; exit 2 or 70 when something is wrong',
    )
    .action(call(async () => (await import('../doctor/doctor.ts')).doctor))

  addJsonFlag(program.command('completion'))
    .description('print a script that completes verbs, flags and ids in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', () => `\nTo load it:\n${LOADING}`)
    .action(call(async () => (await import('../completion/completion.ts')).completion))

  addJsonFlag(program.command('demo'))
    .description(
      'show a tour of one minute with a built-in fake agent: no key, no network, nothing kept',
    )
    .option('--full', 'make a rich store instead: threads, chains and jobs of two weeks')
    .option('--data-dir <directory>', 'with --full: make the store here, and keep it')
    .option('--no-stay', 'end at once; without it, a terminal keeps the dashboard open until Enter')
    .action(call(async () => (await import('../demo/demo.ts')).demo))
}
